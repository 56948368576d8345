import type pg from 'pg'
import type { EngineTimes } from '../shared/options.ts'
import { install } from './install.ts'
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
  /** Whether everything is there. */
  readonly isPrepared: boolean
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
  let prepared: Promise<void> | undefined
  let isPrepared = false

  function connect(at: string): pg.Pool {
    const pool = new drivers.pg.Pool({
      connectionString: at,
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: times.timeoutMs,
      keepAlive: true,
      allowExitOnIdle: true,
    })
    // Connections that end are replaced. Whoever uses one hears of it by a query that fails; an error without a listener would end the process.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', () => undefined))
    return pool
  }

  const ringing = connect(connectionString)
  const migrate = () => drivers.graphile.runMigrations({ pgPool: ringing, schema, noPreparedStatements: true })
  return {
    drivers,
    schema,
    times,
    ringing,
    listening: () => connect(listenConnectionString ?? connectionString),
    keepsStatements: listenConnectionString !== undefined,
    prepare() {
      prepared ??= install(ringing, { schema, storeSchema }, migrate).then(
        () => {
          isPrepared = true
        },
        (error) => {
          prepared = undefined
          throw error
        },
      )
      return prepared
    },
    get isPrepared() {
      return isPrepared
    },
  }
}
