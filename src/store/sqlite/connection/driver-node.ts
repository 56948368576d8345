import {
  checkValues,
  type Database,
  type Driver,
  type ListStatement,
  peekUri,
  refuseNul,
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
  /** From here on rows are arrays. Since Node 22.16. */
  setReturnArrays?(enabled: boolean): void
}

/** SQLite through `node:sqlite`. */
export function nodeDriver(module: unknown): Driver {
  const { DatabaseSync } = module as NodeSqlite
  return {
    name: 'node:sqlite',
    open(path, mode) {
      const db = guard(() => (mode === 'peek' ? peek(DatabaseSync, path) : new DatabaseSync(path)))
      return toDatabase(db, cutsAtNul(db) ? checkWithoutNul : checkValues)
    },
  }
}

/** Node 22 reads a string only up to U+0000. */
function cutsAtNul(db: NodeDatabase): boolean {
  return guard(() => db.prepare("SELECT 'a' || char(0) AS text").get())?.text !== 'a\u0000'
}

function checkWithoutNul(values: readonly unknown[]): void {
  checkValues(values)
  refuseNul(values, `node:sqlite of Node ${process.versions.node}`)
}

/** Node accepts file URIs since 22.15. Before that the file is opened read-only, which may leave an index of the log beside it. */
function peek(DatabaseSync: NodeSqlite['DatabaseSync'], path: string): NodeDatabase {
  try {
    return new DatabaseSync(peekUri(path), { readOnly: true })
  } catch {
    return new DatabaseSync(path, { readOnly: true })
  }
}

type Check = (values: readonly unknown[]) => void

function toDatabase(db: NodeDatabase, check: Check): Database {
  return {
    exec: (sql) => guard(() => db.exec(sql)),
    prepare: (sql) =>
      toStatement(
        guard(() => db.prepare(sql)),
        check,
      ),
    prepareList(sql) {
      const statement = guard(() => db.prepare(sql))
      const { get, all } = toStatement(statement, check)
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

function toStatement(statement: NodeStatement, check: Check): Statement {
  return {
    run(values) {
      check(values)
      return guard(() => Number(statement.run(...values).changes))
    },
    get(values) {
      check(values)
      return guard(() => statement.get(...values))
    },
    all(values) {
      check(values)
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
