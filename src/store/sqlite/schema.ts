import type { Dialect } from '../sql/dialect.ts'
import { createTables } from '../sql/tables.ts'
import type { Database } from './driver.ts'

/** Marks a file as a holdpoint store: "HOLD" in ASCII. */
export const APPLICATION_ID = 0x484f4c44

/** What the tables look like. A file with a higher number is refused. */
export const SCHEMA_VERSION = 1

/** The tables and statements of the SQL stores as SQLite takes them. */
export const SQLITE: Dialect = {
  prefix: '',
  key: 'INTEGER PRIMARY KEY',
  integer: 'INTEGER',
  time: 'INTEGER',
  text: 'TEXT',
  blob: 'BLOB',
  ordered: ' WITHOUT ROWID',
  use: (index) => `INDEXED BY ${index}`,
}

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
export function makeTables(db: Database): void {
  db.exec(createTables(SQLITE))
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
}

function number(db: Database, sql: string, column: string): number {
  return Number(db.prepare(sql).get([])?.[column])
}
