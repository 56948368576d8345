import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { built } from '../children/built.js'
import { checkReads } from '../read-property.js'
import { tamperingSql } from '../tampering.js'

/**
 * Runs the store suite and the property of reads on Node's own SQLite, without a test runner, so that any Node can do it:
 * `node test/store/sqlite/node-sqlite.js`.
 * Tells the outcome as one line of JSON, and ends with 1 when a case failed.
 */
const { sqliteStore } = await built('sqlite.js')
const { fakeClock, runStoreConformance } = await built('testing.js')

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-node-sqlite-'))
const clock = fakeClock()
const paths = new WeakMap()
let count = 0

const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite')

/** @param {string} path @param {object} [options] */
function open(path, options) {
  const store = sqliteStore({ ...options, path, clock, driver: 'node:sqlite', durability: 'process' })
  paths.set(store, path)
  return store
}

const report = await runStoreConformance({
  clock,
  /** @param {object} [options] */
  create: async (options) => open(join(folder, `${++count}.db`), options),
  /** @param {object} store @param {object} [options] */
  reopen: async (store, options) => open(paths.get(store), options),
  /** @param {object} store @param {import('../../../src/testing/store-suite/store-case.ts').Tampering} tampering */
  tamper: async (store, tampering) => {
    const db = new DatabaseSync(paths.get(store))
    for (const sql of tamperingSql(tampering, { prefix: '', hex: (bytes) => `X'${bytes}'` })) db.exec(sql)
    db.close()
  },
})

/**
 * Whether a database of another application is left as it is, with the log that it has not carried over yet. Only seen here: libsql keeps
 * a file open until its statements are collected, and a log is carried over when the last connection is closed.
 */
async function leavesForeignLog() {
  const theirs = join(folder, 'theirs.db')
  const copy = join(folder, 'copy.db')
  const db = new DatabaseSync(theirs)
  db.exec('CREATE TABLE notes(text); PRAGMA journal_mode = WAL; INSERT INTO notes VALUES (1)')
  for (const suffix of ['', '-wal']) copyFileSync(theirs + suffix, copy + suffix)
  db.close()
  const read = (/** @type {string} */ path) => (existsSync(path) ? readFileSync(path, 'hex') : 'gone')
  const bytes = () => ['', '-wal'].map((suffix) => read(copy + suffix))
  const before = bytes()
  const store = open(copy)
  const code = await store.read('t').catch((/** @type {{ code: string }} */ error) => error.code)
  await store.close()
  return code === 'store_corrupt' && before[1] !== 'gone' && bytes().join() === before.join()
}
const foreignLogLeft = await leavesForeignLog()

const reading = open(join(folder, 'reads.db'))
// Node 22 cannot give this character back, so it must be refused.
const refused = await reading.append({ threadId: 'nul', entries: ['a\u0000b'] }).then(
  () => false,
  (/** @type {Error} */ error) => /U\+0000/.test(error.message),
)
const reads = await checkReads(reading, refused ? { without: '\u0000' } : {}).then(() => 'exact', String)
await reading.close()

rmSync(folder, { recursive: true, force: true })

const failed = report.failed.map((/** @type {{ name: string, error: unknown }} */ { name, error }) => ({
  name,
  error: String(error),
}))
writeSync(
  1,
  `${JSON.stringify({ node: process.versions.node, passed: report.passed.length, failed, foreignLogLeft, reads })}\n`,
)
process.exitCode = failed.length === 0 && foreignLogLeft && reads === 'exact' ? 0 : 1
