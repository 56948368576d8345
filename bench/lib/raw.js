// @ts-check
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The driver that holdpoint itself is given: resolved from the repository's root, never installed twice. */
const Database = createRequire(new URL('../../package.json', import.meta.url))('libsql')

const PAGE = 4096
const FRAME_HEADER = 24
const WAL_HEADER = 32

/** A bare connection, set like the store's. @param {string} path */
export function openRaw(path) {
  const db = new Database(path)
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('PRAGMA synchronous = NORMAL')
  db.exec('PRAGMA busy_timeout = 5000')
  return db
}

/** Copies of a finished thread: rows alone, no code of holdpoint's. @param {any} db @param {string} from @param {readonly string[]} to */
export function copyThread(db, from, to) {
  const thread = db.prepare(
    `INSERT INTO threads (tenant, id, rev, version, at, head, lease_token, lease_holder, lease_until)
     SELECT tenant, ?, rev, version, at, head, lease_token, lease_holder, lease_until FROM threads WHERE id = ?`,
  )
  const entries = db.prepare(
    `INSERT INTO entries (thread, seq, at, body, salt, hash)
     SELECT (SELECT no FROM threads WHERE id = ?), seq, at, body, salt, hash
     FROM entries WHERE thread = (SELECT no FROM threads WHERE id = ?) ORDER BY seq`,
  )
  db.exec('BEGIN IMMEDIATE')
  for (const id of to) {
    thread.run(id, from)
    entries.run(id, from)
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
