import Database from 'libsql'

/**
 * What the body of a tool wrote down when it began: the tools' own log, in a database that holdpoint knows nothing of and no fault touches.
 *
 * @typedef {object} EffectRow
 * @property {string} tenantId
 * @property {string} threadId
 * @property {string} tool
 * @property {string} toolCallId
 * @property {string} version
 * @property {string} key
 * @property {number} attempt
 * @property {number | null} amount
 * @property {string | null} answer what a person had answered to its question, as JSON
 * @property {string} process
 */

/** @typedef {EffectRow & { at: number }} LoggedEffect */

/** Opens the log. Its times are those of the machine, whatever a process takes for the time. @param {string} path */
export function openEffects(path) {
  const db = new Database(path)
  db.exec('PRAGMA busy_timeout = 30000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
  db.exec(
    'CREATE TABLE IF NOT EXISTS effects (tenantId, threadId, tool, toolCallId, version, key, attempt, amount, answer, process, at); CREATE INDEX IF NOT EXISTS effects_thread ON effects (threadId)',
  )
  const insert = db.prepare(
    "INSERT INTO effects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER))",
  )
  const select = db.prepare('SELECT * FROM effects ORDER BY rowid')
  const find = db.prepare('SELECT count(*) AS n FROM effects WHERE threadId = ? AND tenantId = ? AND toolCallId = ?')
  const count = db.prepare('SELECT count(*) AS n FROM effects')
  return {
    /** @param {EffectRow} row */
    add({ tenantId, threadId, tool, toolCallId, version, key, attempt, amount, answer, process }) {
      insert.run([tenantId, threadId, tool, toolCallId, version, key, attempt, amount, answer, process])
    },
    count: () => /** @type {{ n: number }} */ (count.get([])).n,
    all: () => /** @type {LoggedEffect[]} */ (select.all([])),
    /** @param {Pick<EffectRow, 'tenantId' | 'threadId' | 'toolCallId'>} call */
    has: ({ tenantId, threadId, toolCallId }) =>
      /** @type {{ n: number }} */ (find.get([threadId, tenantId, toolCallId])).n > 0,
    close: () => db.close(),
  }
}
