// @ts-check
import { pg } from '../lib/postgres/postgres-driver.js'

const COMMITS = 6
const READS = 2
/** About what the entries of a commit have in a durable cycle: see the case `bytes`. */
const BODY = 'x'.repeat(700)

/** The floor: six commits of one row and two reads, one after the other; `lanes` at once are one sample. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ url = '', lanes = 1 }) {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  await pool.query('CREATE TABLE floor (no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)')
  const insert = { name: 'insert', text: 'INSERT INTO floor (body) VALUES ($1) RETURNING no' }
  const select = { name: 'select', text: 'SELECT body FROM floor WHERE no = $1' }
  async function cycle() {
    let no = 0
    for (let n = 0; n < COMMITS; n++) no = (await pool.query({ ...insert, values: [BODY] })).rows[0].no
    for (let n = 0; n < READS; n++) await pool.query({ ...select, values: [no] })
  }
  return {
    run: () => Promise.all(Array.from({ length: lanes }, cycle)),
    close: () => pool.end(),
  }
}
