import { type Dialect, placeholders } from '../../sql/dialect.ts'
import { createDueIndex, DUE_BY_COLUMNS } from '../../sql/due.ts'
import { addErasure } from '../../sql/erase.ts'
import { createGrantTable } from '../../sql/grant-table.ts'
import { addInbox, createMark } from '../../sql/inbox-tables.ts'
import { addListColumns } from '../../sql/list-columns.ts'
import { createQueueIndex } from '../../sql/queue.ts'
import { createChunkTable, createSnapshotTable } from '../../sql/snapshot-table.ts'
import { addMacs, createTables } from '../../sql/tables.ts'
import { addWakeMarks } from '../../sql/wake.ts'
import type { Database } from '../connection/driver.ts'
import { CREATE_OUTBOX, ERASE_CHUNKS, ERASE_SNAPSHOTS, FILL_IN, LIST_COLUMNS, REFUSE_ERASED } from './triggers.ts'

/** Marks a file as a holdpoint store: "HOLD" in ASCII. */
export const APPLICATION_ID = 0x484f4c44

/** The version of the tables that this build makes and serves. */
export const SCHEMA_VERSION = 10

/** The oldest build that can serve these tables. Builds up to version 4 read it as the version, and refuse a higher one than their own. */
const OLDEST = 4

/** The SQLite dialect of the SQL stores. */
export const SQLITE: Dialect = {
  prefix: '',
  key: 'INTEGER PRIMARY KEY',
  integer: 'INTEGER',
  real: 'REAL',
  time: 'INTEGER',
  text: 'TEXT',
  blob: 'BLOB',
  ordered: ' WITHOUT ROWID',
  hex: (bytes) => `hex(${bytes})`,
  use: (index) => `INDEXED BY ${index}`,
  indexesAllStatuses: true,
  due: DUE_BY_COLUMNS,
  byChange: { tenant: 'tenant', id: 'id' },
  contains: (column) => `instr(${column}, ?) > 0`,
  eachHasOne: (column, names) => `NOT EXISTS (SELECT 1 FROM json_each(${column}) l WHERE NOT EXISTS (
    SELECT 1 FROM json_each(l.value) n WHERE n.value IN (${placeholders(names)})))`,
}

/** The mark of a store in a file. */
export interface FileMark {
  applicationId: number
  schemaVersion: number
  /** The oldest version of the code that can serve it. */
  oldest: number
  /** Whether the file has no tables. */
  empty: boolean
}

/** Reads the mark of a file. */
export function readMark(db: Database): FileMark {
  const oldest = number(db, 'PRAGMA user_version', 'user_version')
  const hasMark = number(db, `SELECT count(*) AS n FROM sqlite_master WHERE name = 'holdpoint_store'`, 'n') > 0
  return {
    applicationId: number(db, 'PRAGMA application_id', 'application_id'),
    schemaVersion: hasMark ? number(db, 'SELECT version FROM holdpoint_store', 'version') : oldest,
    oldest: Math.max(oldest, hasMark ? number(db, 'SELECT oldest FROM holdpoint_store', 'oldest') : 0),
    empty: number(db, 'SELECT count(*) AS n FROM sqlite_master', 'n') === 0,
  }
}

/** Creates the tables that come after a version (0: all of them) and marks the file. Call it inside a transaction. */
export function makeTables(db: Database, after: number): void {
  if (after < 1) db.exec(createTables(SQLITE))
  if (after < 2) db.exec(createGrantTable(SQLITE))
  if (after === 1) db.exec(INDEX_GRANTS)
  if (after < 3) db.exec(createDueIndex(SQLITE.prefix, DUE_BY_COLUMNS))
  if (after === 1 || after === 2) db.exec(DROP_DEADLINES)
  if (after < 4) db.exec(addMacs(SQLITE))
  if (after < 5) {
    db.exec(addInbox(SQLITE))
    db.exec(createQueueIndex(SQLITE))
    db.exec(FILL_IN)
    db.exec(CREATE_OUTBOX)
    db.exec(createMark(SQLITE))
    db.exec(`INSERT INTO holdpoint_store (version, oldest) VALUES (5, ${OLDEST})`)
  }
  if (after < 6) db.exec(addWakeMarks(SQLITE))
  if (after < 7) {
    db.exec(addListColumns(SQLITE))
    db.exec(LIST_COLUMNS)
  }
  if (after < 8) {
    db.exec(addErasure(SQLITE))
    db.exec(REFUSE_ERASED)
  }
  if (after < 9) {
    db.exec(createSnapshotTable(SQLITE))
    db.exec(ERASE_SNAPSHOTS)
  }
  if (after < 10) {
    db.exec(createChunkTable(SQLITE))
    db.exec(ERASE_CHUNKS)
  }
  db.exec(`UPDATE holdpoint_store SET version = ${SCHEMA_VERSION}, oldest = ${OLDEST}`)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  db.exec(`PRAGMA user_version = ${OLDEST}`)
}

/** Grants of version 1 covered a run, had no limits, and were revoked by withdrawing their decision. */
const INDEX_GRANTS = `
INSERT OR IGNORE INTO grants (tenant, id, thread, created, revoked, place, agent, tool, used, spent, live)
SELECT tenant, id, thread, seq, revoked, 'run ' || run, agent, tool, 0, 0, revoked IS NULL FROM (
  SELECT t.tenant, e.thread, e.seq, e.body ->> '$.grant.id' AS id, e.body ->> '$.grant.run' AS run,
    e.body ->> '$.grant.agent' AS agent, e.body ->> '$.grant.tool' AS tool,
    (SELECT min(w.seq) FROM entries w WHERE w.thread = e.thread AND w.seq > e.seq AND w.body LIKE '%"request.reopened"%'
      AND w.body ->> '$.type' = 'request.reopened' AND w.body ->> '$.cause' = 'withdrawn'
      AND w.body ->> '$.id' = e.body ->> '$.grant.request') AS revoked
  FROM entries e JOIN threads t ON t.no = e.thread
  WHERE e.body LIKE '%"grant.created"%' AND e.body ->> '$.type' = 'grant.created'
)`

/** Until version 2 requests kept their deadline after they were escalated, and had one even if nothing was to happen then. */
const DROP_DEADLINES = `
UPDATE requests SET expires_at = NULL WHERE expires_at IS NOT NULL AND (
  EXISTS (SELECT 1 FROM entries o WHERE o.thread = requests.thread AND o.seq = requests.opened
    AND o.body ->> '$.onTimeout' = 'keep')
  OR EXISTS (SELECT 1 FROM entries e WHERE e.thread = requests.thread AND e.seq > requests.opened
    AND e.body LIKE '%"request.escalated"%' AND e.body ->> '$.type' = 'request.escalated' AND e.body ->> '$.id' = requests.id)
)`

function number(db: Database, sql: string, column: string): number {
  return Number(db.prepare(sql).get([])?.[column])
}
