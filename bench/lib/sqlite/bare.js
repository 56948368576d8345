// @ts-check
import { randomBytes, randomUUID } from 'node:crypto'

/**
 * The same commits without holdpoint: what one cycle appended, written by prepared statements into the same tables with the same driver,
 * one transaction for each append. Everything that can be made before the clock starts is: ids, salts, hashes, parameter lists.
 *
 * @typedef {import('./record.js').Append} Append
 * @typedef {import('./record.js').Accepted} Accepted
 * @typedef {{ run: (...values: unknown[]) => unknown }} Statement
 * @typedef {{ statement: Statement, values: unknown[] }} Write
 */

/** @param {any} db @param {readonly { append: Append, outcome: Accepted }[]} appends */
export function createBare(db, appends) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const statements = createStatements(db)
  const findThread = db.prepare('SELECT no, rev, version, at FROM threads WHERE id = ?')

  return {
    /** Everything that the commits of one cycle on a thread bind. @param {string} threadId @returns {Write[][]} */
    prepare(threadId) {
      const thread = findThread.get(threadId)
      const requests = new Map()
      let { version } = thread
      return appends.map(({ append, outcome }, position) => {
        const after = version
        version += append.entries.length
        const place = { ...thread, rev: thread.rev + position, version, after }
        return [
          threadWrite(statements, place, outcome),
          ...entryWrites(statements, place, append.entries),
          ...(append.requests ?? []).map((change) => requestWrite(statements, place, { change, requests })),
        ]
      })
    },
    /** @param {Write[][]} transactions */
    run(transactions) {
      for (const writes of transactions) {
        begin.run()
        for (const { statement, values } of writes) statement.run(...values)
        commit.run()
      }
    },
  }
}

/** @typedef {{ no: number, rev: number, version: number, after: number, at: number }} Place */
/** @typedef {ReturnType<typeof createStatements>} Statements */

/** @param {any} db */
function createStatements(db) {
  const row = '(?, ?, ?, ?, ?, ?)'
  return {
    thread: db.prepare(
      `UPDATE threads SET version = ?, at = ?, head = ?, lease_token = ?, lease_holder = ?, lease_until = ?, rev = rev + 1
       WHERE no = ? AND rev = ?`,
    ),
    // Several rows with one statement, as holdpoint does: the fastest way there is.
    entries: Array.from({ length: 8 }, (_, i) =>
      db.prepare(
        `INSERT INTO entries (thread, seq, at, body, salt, hash) VALUES ${Array(i + 1)
          .fill(row)
          .join(', ')}`,
      ),
    ),
    open: db.prepare(
      `INSERT INTO requests (tenant, id, thread, opened, version, status, kind, question_id, agent, tool, assignee, expires_at)
       VALUES (?, ?, ?, ?, 1, 'open', ?, ?, ?, ?, ?, ?)`,
    ),
    change: db.prepare('UPDATE requests SET status = ?, version = ?, changed = ? WHERE tenant = ? AND id = ?'),
  }
}

/** @param {Statements} statements @param {Place} place @param {Accepted} outcome @returns {Write} */
function threadWrite({ thread }, { no, rev, version, at }, { lease }) {
  const values = [version, at, randomBytes(32), lease?.token ?? 1, lease?.holder ?? null, lease?.until ?? 0, no, rev]
  return { statement: thread, values }
}

/** @param {Statements} statements @param {Place} place @param {readonly string[]} bodies @returns {Write[]} */
function entryWrites({ entries }, { no, after, at }, bodies) {
  const writes = []
  for (let from = 0; from < bodies.length; from += entries.length) {
    const part = bodies.slice(from, from + entries.length)
    const values = part.flatMap((body, i) => [no, after + from + i + 1, at, body, randomBytes(16), randomBytes(32)])
    writes.push({ statement: entries[part.length - 1], values })
  }
  return writes
}

/**
 * @param {Statements} statements
 * @param {Place} place
 * @param {{ change: NonNullable<Append['requests']>[number], requests: Map<string, string> }} what
 * @returns {Write}
 */
function requestWrite({ open, change: update }, { no, after }, { change, requests }) {
  const seq = after + 1 + change.entry
  if (change.op === 'change') {
    const values = [change.status, change.from + 1, seq, 'default', requests.get(change.id)]
    return { statement: update, values }
  }
  const { row } = change
  const id = timeOrdered()
  requests.set(row.id, id)
  const values = ['default', id, no, seq, row.kind, row.questionId, row.agent, row.tool, row.assignee, row.expiresAt]
  return { statement: open, values }
}

/** Grows with time, as the real ids do, so that indexes grow at their end. */
function timeOrdered() {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
