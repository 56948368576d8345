import { StoreClosed } from '../../../protocol/errors/errors.ts'
import type { OnWarning } from '../../shared/warning.ts'
import { createHeads, type Heads } from '../heads.ts'
import { type Database, type DriverName, type ListStatement, SqliteFailure, type Statement } from './driver.ts'
import { loadDriver } from './load-driver.ts'
import { openDatabase } from './open.ts'

/** One open file with its caches. */
export interface Connection {
  /** The library that opened it. */
  readonly driver: DriverName
  exec(sql: string): void
  /** The prepared statement for some SQL, made once. */
  statement(sql: string): Statement
  /** The same, for rows as arrays. */
  list(sql: string): ListStatement
  readonly heads: Heads
}

/** The one connection of a store. */
export interface ConnectionHolder {
  readonly path: string
  /** Opens the file at the first call. May fail as busy; the next call tries again. */
  get(): Connection
  /** Checkpoints the write-ahead log and closes the file. */
  close(): void
}

/** Options of a connection. */
export interface ConnectionOptions {
  path: string
  durability: 'power' | 'process'
  driver: DriverName | undefined
  onWarning: OnWarning
}

/** Creates a holder. Loads and opens nothing yet. */
export function createConnectionHolder(options: ConnectionOptions): ConnectionHolder {
  let state: { db: Database; connection: Connection } | 'unopened' | 'closed' = 'unopened'

  return {
    path: options.path,
    get() {
      if (state === 'closed') throw new StoreClosed()
      if (state === 'unopened') {
        const driver = loadDriver(options.driver)
        const db = openDatabase(driver, options)
        state = { db, connection: toConnection(db, driver.name) }
      }
      return state.connection
    },
    close() {
      const open = state
      state = 'closed'
      if (typeof open === 'string') return
      try {
        open.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      } catch (error) {
        // Others are reading, or the disk is full: the log stays, with all that was committed. Whoever closes the file next checkpoints it.
        if (!(error instanceof SqliteFailure)) throw error
      } finally {
        open.db.close()
      }
    },
  }
}

function toConnection(db: Database, driver: DriverName): Connection {
  return {
    driver,
    exec: (sql) => db.exec(sql),
    statement: once((sql) => db.prepare(sql)),
    list: once((sql) => db.prepareList(sql)),
    heads: createHeads(),
  }
}

/** Prepares each statement on first use. */
function once<T>(prepare: (sql: string) => T): (sql: string) => T {
  const statements = new Map<string, T>()
  return (sql) => {
    const known = statements.get(sql)
    if (known) return known
    const prepared = prepare(sql)
    statements.set(sql, prepared)
    return prepared
  }
}
