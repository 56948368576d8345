// @ts-check
import pg from 'pg'
import { ENTRIES, fillThreads, requestName, threadName } from '../lib/postgres/fill-threads.js'
import { withPostgres } from '../lib/postgres/postgres-server.js'
import { progress } from '../lib/report/progress.js'
import { loadHoldpoint } from '../lib/subject/dist.js'

/** @typedef {import('../lib/report/table.js').Line} Line */
/** @typedef {import('../../dist/index.js').Store} Store */
/** @typedef {{ threads: number, store: Store, appended: number, times: Map<string, number[]> }} Sized */

const SIZES = [1000, 100_000, 1_000_000]
/** How much longer the median may take than with 1000 threads. */
const FLAT = 2

/** Each way to the store that must not depend on how much is in it. `n` is a number of a thread, drawn at random. @type {Record<string, (sized: Sized, n: number) => Promise<unknown>>} */
const WAYS = {
  append: ({ store }, n) => store.append({ threadId: threadName(n), entries: ['{"type":"note"}'] }),
  'append to a new thread': (sized) =>
    sized.store.append({ threadId: `new-${++sized.appended}`, entries: ['{"type":"note"}'] }),
  'load a thread': ({ store }, n) => store.read(threadName(n)),
  'one request': ({ store }, n) => store.getRequest(requestName(n)),
  'list 50 open requests': ({ store }) => store.findRequests({ status: 'open', limit: 50 }),
  'list 50 open requests of a tool': ({ store }, n) =>
    store.findRequests({ status: 'open', tool: `tool-${((n % 30) * 2 + 1) % 60}`, limit: 50 }),
  'list 50 that changed last': ({ store }) => store.findRequests({ order: 'changed', limit: 50 }),
  'claim: 50 threads to drive': ({ store }) => store.ready({ limit: 50 }),
  'sweep: what is due': ({ store }) => store.due({ limit: 50 }),
}

/** The Postgres store at several sizes, in one server and in turn. @param {{ quick: boolean, threads?: string }} options @returns {Promise<Line[]>} */
export async function size({ quick, threads = '100000' }) {
  const most = Number(threads)
  if (!Number.isInteger(most) || most < 2000) throw new Error('--threads is a number of at least 2000')
  const sizes = [...SIZES.filter((one) => one < most), most]
  return withPostgres(async (url) => {
    const client = new pg.Client(url)
    await client.connect()
    /** @type {Sized[]} */
    const all = []
    try {
      for (const one of sizes) all.push(await prepare(client, { url, threads: one }))
      for (let round = 0, rounds = quick ? 100 : 500; round < rounds; round++) {
        progress(`size: round ${round + 1} of ${rounds}`)
        for (const sized of all) await play(sized)
      }
      progress('')
      return toLines(all, await bytesOf(client, most))
    } finally {
      await Promise.all(all.map(({ store }) => store.close()))
      await client.end()
    }
  })
}

/** @param {import('pg').Client} client @param {{ url: string, threads: number }} about @returns {Promise<Sized>} */
async function prepare(client, { url, threads }) {
  const { postgresStore } = await loadHoldpoint()
  const schema = `s${threads}`
  const store = postgresStore({ connectionString: url, schema, onWarning: () => undefined })
  await store.read('none')
  await fillThreads(client, { schema, threads })
  const sized = { threads, store, appended: 0, times: new Map(Object.keys(WAYS).map((way) => [way, []])) }
  for (let n = 0; n < 20; n++) await play(sized)
  for (const times of sized.times.values()) times.length = 0
  return sized
}

/** @param {Sized} sized */
async function play(sized) {
  for (const [name, way] of Object.entries(WAYS)) {
    const n = 1 + Math.floor(Math.random() * sized.threads)
    const began = performance.now()
    await way(sized, n)
    sized.times.get(name)?.push(performance.now() - began)
  }
}

/** Bytes on disk for one thread, with its indexes. @param {import('pg').Client} client @param {number} threads */
async function bytesOf(client, threads) {
  const { rows } = await client.query(
    `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c WHERE c.relnamespace = 's${threads}'::regnamespace AND c.relkind = 'r'`,
  )
  return rows[0].bytes / threads
}

/** @param {Sized[]} all @param {number} bytes @returns {Line[]} */
function toLines(all, bytes) {
  const at = (/** @type {Sized} */ { times }, /** @type {string} */ way, /** @type {number} */ share) => {
    const sorted = [...(times.get(way) ?? [])].sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  }
  const first = /** @type {Sized} */ (all[0])
  const last = /** @type {Sized} */ (all.at(-1))
  const ways = Object.keys(WAYS).map((way) => {
    const ratio = at(last, way, 0.5) / at(first, way, 0.5)
    const shown = all.map((sized) => `${at(sized, way, 0.5).toFixed(2)} (p99 ${at(sized, way, 0.99).toFixed(1)})`)
    return {
      what: `${way}, ms at ${all.map(({ threads }) => threads.toLocaleString('en')).join(' / ')} threads`,
      target: `≤ ${FLAT}×`,
      measured: `${shown.join(' / ')}: ${ratio.toFixed(2)}×`,
      ok: ratio <= FLAT,
    }
  })
  const what = `bytes on disk for a thread with ${ENTRIES} entries and a request`
  return [...ways, { what, measured: `${Math.round(bytes)} B` }]
}
