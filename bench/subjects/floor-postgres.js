// @ts-check
import { pg } from '../lib/postgres/postgres-driver.js'
import { inFlight } from '../lib/subject/in-flight.js'
import { threadNames } from '../lib/subject/names.js'

const COMMITS = 6
const READS = 2
/** About what the entries of a commit have in a durable cycle: see the case `bytes`. */
const BODY = 'x'.repeat(700)

/** The floor: six commits of one row and two reads, one after the other; a sample is `each` of them for each of `lanes`, which are under way at once. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ url = '', lanes = 1, each = 1 }) {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  await pool.query('CREATE TABLE floor (no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)')
  const insert = { name: 'insert', text: 'INSERT INTO floor (body) VALUES ($1) RETURNING no' }
  const select = { name: 'select', text: 'SELECT body FROM floor WHERE no = $1' }
  const names = threadNames()
  async function cycle() {
    let no = 0
    for (let n = 0; n < COMMITS; n++) no = (await pool.query({ ...insert, values: [BODY] })).rows[0].no
    for (let n = 0; n < READS; n++) await pool.query({ ...select, values: [no] })
  }
  return {
    prepare: (count) => Array.from({ length: count }, () => names(lanes * each)),
    run: (/** @type {string[]} */ ids) => inFlight(ids, lanes, cycle),
    close: () => pool.end(),
  }
}
