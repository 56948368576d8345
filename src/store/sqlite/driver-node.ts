import {
  checkValues,
  type Database,
  type Driver,
  type ListStatement,
  peekUri,
  SqliteFailure,
  type SqlRow,
  type Statement,
} from './driver.ts'

/** The part of `node:sqlite` that is used. */
interface NodeSqlite {
  DatabaseSync: new (path: string, options?: { readOnly?: boolean }) => NodeDatabase
}
interface NodeDatabase {
  exec(sql: string): void
  prepare(sql: string): NodeStatement
  close(): void
}
interface NodeStatement {
  run(...values: readonly unknown[]): { changes: number | bigint }
  get(...values: readonly unknown[]): SqlRow | undefined
  all(...values: readonly unknown[]): SqlRow[]
  /** From here on rows are lists. Since Node 22.16. */
  setReturnArrays?(enabled: boolean): void
}

/** SQLite through what Node brings itself. */
export function nodeDriver(module: unknown): Driver {
  const { DatabaseSync } = module as NodeSqlite
  return {
    name: 'node:sqlite',
    open: (path, mode) =>
      toDatabase(guard(() => (mode === 'peek' ? peek(DatabaseSync, path) : new DatabaseSync(path)))),
  }
}

/** Node takes addresses since 22.15; before, reading alone must do, which may leave an index of the log beside the file. */
function peek(DatabaseSync: NodeSqlite['DatabaseSync'], path: string): NodeDatabase {
  try {
    return new DatabaseSync(peekUri(path), { readOnly: true })
  } catch {
    return new DatabaseSync(path, { readOnly: true })
  }
}

function toDatabase(db: NodeDatabase): Database {
  return {
    exec: (sql) => guard(() => db.exec(sql)),
    prepare: (sql) => toStatement(guard(() => db.prepare(sql))),
    prepareList(sql) {
      const statement = guard(() => db.prepare(sql))
      const { get, all } = toStatement(statement)
      if (statement.setReturnArrays) {
        statement.setReturnArrays(true)
        return { get, all } as unknown as ListStatement
      }
      return {
        get(values) {
          const row = get(values)
          return row && Object.values(row)
        },
        all: (values) => all(values).map((row) => Object.values(row)),
      }
    },
    close: () => guard(() => db.close()),
  }
}

function toStatement(statement: NodeStatement): Statement {
  return {
    run(values) {
      checkValues(values)
      return guard(() => Number(statement.run(...values).changes))
    },
    get(values) {
      checkValues(values)
      return guard(() => statement.get(...values))
    },
    all(values) {
      checkValues(values)
      return guard(() => statement.all(...values))
    },
  }
}

function guard<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw new SqliteFailure((error as { errcode?: number }).errcode, error)
  }
}
