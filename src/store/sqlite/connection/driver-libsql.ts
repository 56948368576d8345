import {
  checkValues,
  type Database,
  type Driver,
  type ListStatement,
  peekUri,
  refuseNul,
  SqliteFailure,
  type SqlRow,
  type SqlValue,
  type Statement,
} from './driver.ts'

/** The part of libsql that is used. */
interface Libsql {
  new (path: string): LibsqlDatabase
}
interface LibsqlDatabase {
  exec(sql: string): void
  prepare(sql: string): LibsqlStatement
  close(): void
}
interface LibsqlStatement {
  /** From here on rows are arrays. */
  raw(): {
    get(values: readonly unknown[]): readonly unknown[] | undefined
    all(values: readonly unknown[]): (readonly unknown[])[]
  }
  run(values: readonly unknown[]): { changes: number }
  get(values: readonly unknown[]): SqlRow | undefined
  all(values: readonly unknown[]): SqlRow[]
}

/** SQLite through libsql. */
export function libsqlDriver(module: unknown): Driver {
  const Libsql = module as Libsql
  return {
    name: 'libsql',
    open: (path, mode) => toDatabase(guard(() => new Libsql(mode === 'peek' ? peekUri(path) : path))),
  }
}

function toDatabase(db: LibsqlDatabase): Database {
  return {
    exec: (sql) => guard(() => db.exec(sql)),
    prepare: (sql) => toStatement(guard(() => db.prepare(sql))),
    prepareList: (sql) => toListStatement(guard(() => db.prepare(sql).raw())),
    close: () => guard(() => db.close()),
  }
}

function toStatement(statement: LibsqlStatement): Statement {
  return {
    run(values) {
      check(values)
      return guard(() => statement.run(values).changes)
    },
    ...toReader(statement),
  }
}

function toListStatement(statement: ReturnType<LibsqlStatement['raw']>): ListStatement {
  return toReader(statement)
}

/** Reads rows as objects or as arrays. */
function toReader<Row, Rows>(statement: {
  get(values: readonly SqlValue[]): Row
  all(values: readonly SqlValue[]): Rows
}) {
  return {
    get(values: readonly SqlValue[]) {
      check(values)
      return guard(() => statement.get(values))
    },
    all(values: readonly SqlValue[]) {
      check(values)
      return guard(() => statement.all(values))
    },
  }
}

function check(values: readonly unknown[]): void {
  checkValues(values)
  refuseNul(values, 'libsql')
}

function guard<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw new SqliteFailure((error as { rawCode?: number }).rawCode, error)
  }
}
