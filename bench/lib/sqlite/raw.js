// @ts-check
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { loadChain } from '../subject/dist.js'

/** The library that holdpoint takes by itself on this Node: the one that Node has, else the one of the repository's root, never installed twice. */
const Database =
  process.getBuiltinModule?.('node:sqlite')?.DatabaseSync ??
  createRequire(new URL('../../../package.json', import.meta.url))('libsql')

const { bodyHash, CHAIN_START, chainHash } = await loadChain()

const PAGE = 4096
const FRAME_HEADER = 24
const WAL_HEADER = 32

/** @typedef {'power' | 'process'} Durability */

/** What SQLite calls it. @param {Durability} durability */
export function synchronous(durability) {
  return durability === 'power' ? 'FULL' : 'NORMAL'
}

/** A bare connection, set like the store's. @param {string} path @param {Durability} [durability] */
export function openRaw(path, durability = 'process') {
  const db = new Database(path)
  db.exec('PRAGMA journal_mode = WAL')
  db.exec(`PRAGMA synchronous = ${synchronous(durability)}`)
  db.exec('PRAGMA busy_timeout = 5000')
  return db
}

/**
 * Copies of a finished thread: rows alone. A hash binds its entry to the thread, so each copy gets a chain of its own.
 * @param {any} db @param {string} from @param {readonly string[]} to
 */
export function copyThread(db, from, to) {
  const { no, tenant } = db.prepare('SELECT no, tenant FROM threads WHERE id = ?').get(from)
  const rows = db
    .prepare('SELECT seq, at, body, salt FROM entries WHERE thread = ? ORDER BY seq')
    .all(no)
    .map((/** @type {any} */ row) => ({ ...row, salt: Buffer.from(row.salt) }))
  const bodies = rows.map((/** @type {any} */ { salt, body }) => bodyHash(salt, body))
  const thread = db.prepare(
    `INSERT INTO threads (tenant, id, rev, version, at, head, lease_token, lease_holder, lease_until)
     SELECT tenant, ?, rev, version, at, ?, lease_token, lease_holder, lease_until FROM threads WHERE no = ?`,
  )
  const snapshots = db.prepare('SELECT fold, version, body FROM snapshots WHERE thread = ?').all(no)
  const snapshot = db.prepare('INSERT INTO snapshots (thread, fold, version, hash, body) VALUES (?, ?, ?, ?, ?)')
  const hasChunks = db.prepare(`SELECT count(*) AS n FROM sqlite_master WHERE name = 'chunks'`).get().n > 0
  const chunks = hasChunks
    ? db.prepare(
        'INSERT INTO chunks (thread, fold, number, body) SELECT ?, fold, number, body FROM chunks WHERE thread = ?',
      )
    : undefined
  const entry = db.prepare('INSERT INTO entries (thread, seq, at, body, salt, hash) VALUES (?, ?, ?, ?, ?, ?)')
  db.exec('BEGIN IMMEDIATE')
  for (const id of to) {
    let head = CHAIN_START
    const hashes = rows.map((/** @type {any} */ { seq, at }, /** @type {number} */ index) => {
      head = chainHash({ tenant, threadId: id, seq, at }, head, bodies[index])
      return head
    })
    const { lastInsertRowid } = thread.run(id, head, no)
    for (const [index, { seq, at, body, salt }] of rows.entries())
      entry.run(lastInsertRowid, seq, at, body, salt, hashes[index])
    for (const { fold, version, body } of snapshots)
      snapshot.run(lastInsertRowid, fold, version, hashes[version - 1], body)
    chunks?.run(lastInsertRowid, no)
  }
  db.exec('COMMIT')
}

/** Carries the write-ahead log over into the file and empties it. @param {any} db */
export function checkpoint(db) {
  db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
}

/** How many pages the write-ahead log holds. @param {string} path */
export function walPages(path) {
  const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return size === 0 ? 0 : (size - WAL_HEADER) / (PAGE + FRAME_HEADER)
}

/** The bytes of a file without its log. @param {string} path */
export function fileSize(path) {
  return statSync(path).size
}
