import { createRequire } from 'node:module'
import { PeerMissing } from '../../../protocol/errors/peer-missing.ts'
import { DRIVERS, type Driver, type DriverName } from './driver.ts'
import { betterSqlite3Driver } from './driver-better-sqlite3.ts'
import { libsqlDriver } from './driver-libsql.ts'
import { nodeDriver } from './driver-node.ts'

/** Loads the wanted binding, or the first that is installed. Called on first use of a store. */
export function loadDriver(wanted?: DriverName): Driver {
  const load = createRequire(import.meta.url)
  const causes: unknown[] = []
  for (const name of wanted ? [wanted] : DRIVERS) {
    try {
      return toDriver(name, load(name))
    } catch (cause) {
      causes.push(cause)
    }
  }
  throw new PeerMissing(hint(wanted), causes.length === 1 ? causes[0] : new AggregateError(causes))
}

function toDriver(name: DriverName, module: unknown): Driver {
  switch (name) {
    case 'node:sqlite':
      return nodeDriver(module)
    case 'libsql':
      return libsqlDriver(module)
    case 'better-sqlite3':
      return betterSqlite3Driver(module)
  }
}

function hint(wanted: DriverName | undefined): string {
  switch (wanted) {
    case 'node:sqlite':
      return `sqliteStore has driver: 'node:sqlite', which Node ${process.versions.node} does not have: use Node 22.13 or newer, or driver: 'libsql'.`
    case 'libsql':
      return "sqliteStore has driver: 'libsql', which is not installed: run 'npm install libsql'."
    case 'better-sqlite3':
      return "sqliteStore has driver: 'better-sqlite3', which is not installed: run 'npm install better-sqlite3'."
    case undefined:
      return `sqliteStore needs a driver: run 'npm install libsql', or use Node 22.13 or newer, which has SQLite built in (this is ${process.versions.node}).`
  }
}
