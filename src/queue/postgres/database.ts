import type pg from 'pg'
import { QueueFailed } from '../../protocol/errors/errors.ts'
import type { EngineTimes } from '../shared/options.ts'
import { findInstalled, install } from './install.ts'
import { type Drivers, loadDrivers } from './load-drivers.ts'

/** The database of a queue. */
export interface Database {
  readonly drivers: Drivers
  readonly schema: string
  readonly times: Required<EngineTimes>
  /** The connections for rings. They may go through PgBouncer. */
  readonly ringing: pg.Pool
  /** Makes connections on which LISTEN works, for a consumer, which ends them. */
  listening(): pg.Pool
  /** Whether connections of consumers keep prepared statements. */
  readonly keepsStatements: boolean
  /** Creates what is missing, once. */
  prepare(): Promise<void>
  /** Whether everything was there when it was last looked at. */
  readonly isPrepared: boolean
  /** Creates again what was dropped meanwhile. Resolves to what {@link tables} is then. */
  restore(): Promise<string>
  /** Names the tables that were there when they were last looked at. Tables that were made again, by whomever, have another name. */
  readonly tables: string | undefined
}

/** How a database is reached. */
export interface DatabaseOptions {
  readonly connectionString: string
  readonly listenConnectionString: string | undefined
  readonly schema: string
  readonly storeSchema: string | undefined
  readonly times: Required<EngineTimes>
}

const MAX_CONNECTIONS = 4

/** Connects on first use. */
export function openDatabase(options: DatabaseOptions): Database {
  const { connectionString, listenConnectionString, schema, storeSchema, times } = options
  const drivers = loadDrivers()
  const place = { schema, storeSchema }
  let prepared: Promise<string> | undefined
  let tables: string | undefined
  const connect = (at: string) => makePool(drivers, at, times)
  const ringing = connect(connectionString)
  const migrate = () => drivers.graphile.runMigrations({ pgPool: ringing, schema, noPreparedStatements: true })

  function prepare(): Promise<string> {
    prepared ??= install(ringing, place, migrate).then(
      (made) => {
        tables = made
        return made
      },
      (error) => {
        prepared = undefined
        throw mayNotCreate(error) ? refused(schema, error) : error
      },
    )
    return prepared
  }

  async function restore(): Promise<string> {
    const known = tables
    if (known === undefined) return prepare()
    const found = await findInstalled(ringing, place)
    if (tables === known) {
      tables = found
      if (found === undefined) prepared = undefined
    }
    return tables ?? prepare()
  }

  return {
    drivers,
    schema,
    times,
    ringing,
    listening: () => connect(listenConnectionString ?? connectionString),
    keepsStatements: listenConnectionString !== undefined,
    prepare: async () => void (await prepare()),
    get isPrepared() {
      return tables !== undefined
    },
    get tables() {
      return tables
    },
    restore,
  }
}

function makePool(drivers: Drivers, connectionString: string, { timeoutMs }: Required<EngineTimes>): pg.Pool {
  const pool = new drivers.pg.Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  // Connections that end are replaced. Whoever uses one hears of it by a query that fails; an error without a listener would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** The code of Postgres for a right that the role lacks. */
const INSUFFICIENT_PRIVILEGE = '42501'

function mayNotCreate(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE
}

function refused(schema: string, error: Error): QueueFailed {
  return new QueueFailed(
    `The queue in the schema ${schema} is not there for this role, which may not create it. As the owner run holdpoint migrate --queue-schema ${schema}, and then the script that the same with --print-role prints`,
    error,
  )
}
