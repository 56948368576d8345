import { checkValues, type Driver, peekUri, refuseNul, SqliteFailure } from './driver.ts'
import { type SyncDatabase, toDatabase } from './synchronous-api.ts'

/** The part of libsql that is used. */
interface Libsql {
  new (path: string): SyncDatabase
}

/** SQLite through libsql. */
export function libsqlDriver(module: unknown): Driver {
  const Libsql = module as Libsql
  return {
    name: 'libsql',
    open: (path, mode) =>
      toDatabase(
        guard(() => new Libsql(mode === 'peek' ? peekUri(path) : path)),
        { check, guard },
      ),
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
