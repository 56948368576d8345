import type { Database } from './driver.ts'

/** Marks a file as a holdpoint store: "HOLD" in ASCII. */
export const APPLICATION_ID = 0x484f4c44

/** What the tables look like. A file with a higher number is refused. */
export const SCHEMA_VERSION = 1

/**
 * Entries are kept in the order of their arrival, so that a group commit of many threads writes few pages; an index of two small
 * numbers finds a thread's own. Requests refer to entries instead of copying them. `rev` counts the writes of a thread's row: who
 * remembers the row can tell with one comparison whether it is still so.
 */
const TABLES = `
CREATE TABLE threads (
  no INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  rev INTEGER NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  head BLOB NOT NULL,
  lease_token INTEGER NOT NULL,
  lease_holder TEXT,
  lease_until INTEGER NOT NULL,
  UNIQUE (tenant, id)
);
CREATE TABLE entries (
  thread INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  salt BLOB NOT NULL,
  hash BLOB NOT NULL
);
CREATE UNIQUE INDEX entries_thread ON entries (thread, seq);
CREATE TABLE requests (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  thread INTEGER NOT NULL,
  opened INTEGER NOT NULL,
  changed INTEGER,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  kind TEXT NOT NULL,
  question_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  tool TEXT,
  assignee TEXT,
  expires_at INTEGER,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX requests_thread ON requests (thread, id);
CREATE INDEX requests_status ON requests (tenant, status, id);
CREATE INDEX requests_tool ON requests (tenant, status, tool, id);
CREATE INDEX requests_agent ON requests (tenant, status, agent, id);
CREATE INDEX requests_assignee ON requests (tenant, status, assignee, id) WHERE assignee IS NOT NULL;
`

/** Who a file belongs to, by what it says itself. */
export interface FileMark {
  applicationId: number
  schemaVersion: number
  /** Whether it has no table at all. */
  empty: boolean
}

/** Reads the mark of a file. */
export function readMark(db: Database): FileMark {
  return {
    applicationId: number(db, 'PRAGMA application_id', 'application_id'),
    schemaVersion: number(db, 'PRAGMA user_version', 'user_version'),
    empty: number(db, 'SELECT count(*) AS n FROM sqlite_master', 'n') === 0,
  }
}

/** Makes the tables and marks the file. To be called inside a transaction. */
export function createTables(db: Database): void {
  db.exec(TABLES)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
}

function number(db: Database, sql: string, column: string): number {
  return Number(db.prepare(sql).get([])?.[column])
}
