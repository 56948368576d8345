import { checkValues, type Driver, SqliteFailure } from './driver.ts'
import { type SyncDatabase, toDatabase } from './synchronous-api.ts'

/** The part of better-sqlite3 that is used. */
interface BetterSqlite3 {
  new (path: string, options: { readonly: boolean; timeout: number }): SyncDatabase
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
    open: (path, mode) =>
      toDatabase(
        guard(() => new BetterSqlite3(path, { readonly: mode === 'peek', timeout: 0 })),
        { check: checkValues, guard },
      ),
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
