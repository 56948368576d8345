import type { Database, ListStatement, SqlRow, SqlValue, Statement } from './driver.ts'

/** The API of better-sqlite3, which libsql has too: the part that is used. */
export interface SyncDatabase {
  exec(sql: string): void
  prepare(sql: string): SyncStatement
  close(): void
}
interface SyncStatement extends Reader<SqlRow> {
  /** From here on rows are arrays. */
  raw(): Reader<readonly unknown[]>
  run(values: readonly unknown[]): { changes: number }
}
interface Reader<Row> {
  get(values: readonly unknown[]): Row | undefined
  all(values: readonly unknown[]): Row[]
}

/** What each binding does in its own way. */
export interface Binding {
  /** Refuses values that the binding might choke on (D1). */
  check(values: readonly SqlValue[]): void
  /** Makes the failures of a call `SqliteFailure`s (D2). */
  guard<T>(call: () => T): T
}

/** A connection of a binding, as the store uses it. */
export function toDatabase(db: SyncDatabase, { check, guard }: Binding): Database {
  const reader = <Row>(statement: Reader<Row>) => ({
    get(values: readonly SqlValue[]) {
      check(values)
      return guard(() => statement.get(values))
    },
    all(values: readonly SqlValue[]) {
      check(values)
      return guard(() => statement.all(values))
    },
  })
  return {
    exec: (sql) => guard(() => db.exec(sql)),
    prepare(sql): Statement {
      const statement = guard(() => db.prepare(sql))
      return {
        run(values) {
          check(values)
          return guard(() => statement.run(values).changes)
        },
        ...reader(statement),
      }
    },
    prepareList: (sql): ListStatement => reader(guard(() => db.prepare(sql).raw())),
    close: () => guard(() => db.close()),
  }
}
