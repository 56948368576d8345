import {
  checkValues,
  type Database,
  type Driver,
  type ListStatement,
  SqliteFailure,
  type SqlRow,
  type SqlValue,
  type Statement,
} from './driver.ts'

/** The part of better-sqlite3 that is used. */
interface BetterSqlite3 {
  new (path: string, options: { readonly: boolean; timeout: number }): BetterDatabase
}
interface BetterDatabase {
  exec(sql: string): void
  prepare(sql: string): BetterStatement
  close(): void
}
interface BetterStatement {
  /** From here on rows are arrays. */
  raw(): {
    get(values: readonly unknown[]): readonly unknown[] | undefined
    all(values: readonly unknown[]): (readonly unknown[])[]
  }
  run(values: readonly unknown[]): { changes: number }
  get(values: readonly unknown[]): SqlRow | undefined
  all(values: readonly unknown[]): SqlRow[]
}

/** The codes that the store tells apart. better-sqlite3 gives their names alone. */
const CODES: readonly (readonly [name: RegExp, code: number])[] = [
  [/^SQLITE_BUSY/, 5],
  [/^SQLITE_LOCKED/, 6],
  [/^SQLITE_CORRUPT/, 11],
  [/^SQLITE_NOTADB$/, 26],
  [/^SQLITE_CONSTRAINT_PRIMARYKEY$/, 1555],
  [/^SQLITE_CONSTRAINT_UNIQUE$/, 2067],
]

/** SQLite through better-sqlite3. It takes no file URIs: a peek is read-only, which may leave an index of the log beside the file. */
export function betterSqlite3Driver(module: unknown): Driver {
  const BetterSqlite3 = module as BetterSqlite3
  return {
    name: 'better-sqlite3',
    // By default it waits five seconds for a lock (D3).
    open: (path, mode) => toDatabase(guard(() => new BetterSqlite3(path, { readonly: mode === 'peek', timeout: 0 }))),
  }
}

function toDatabase(db: BetterDatabase): Database {
  return {
    exec: (sql) => guard(() => db.exec(sql)),
    prepare: (sql) => toStatement(guard(() => db.prepare(sql))),
    prepareList: (sql) => toReader(guard(() => db.prepare(sql).raw())) satisfies ListStatement,
    close: () => guard(() => db.close()),
  }
}

function toStatement(statement: BetterStatement): Statement {
  return {
    run(values) {
      checkValues(values)
      return guard(() => statement.run(values).changes)
    },
    ...toReader(statement),
  }
}

/** Reads rows as objects or as arrays. */
function toReader<Row, Rows>(statement: {
  get(values: readonly SqlValue[]): Row
  all(values: readonly SqlValue[]): Rows
}) {
  return {
    get(values: readonly SqlValue[]) {
      checkValues(values)
      return guard(() => statement.get(values))
    },
    all(values: readonly SqlValue[]) {
      checkValues(values)
      return guard(() => statement.all(values))
    },
  }
}

function guard<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    const { code } = error as { code?: unknown }
    throw new SqliteFailure(CODES.find(([name]) => typeof code === 'string' && name.test(code))?.[1], error)
  }
}
