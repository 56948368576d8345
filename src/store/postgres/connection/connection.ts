import { StoreClosed } from '../../../protocol/errors/errors.ts'
import type { OnWarning } from '../../shared/warning.ts'
import type { PgLoneClient, PgPool, PgPoolClient } from './driver.ts'
import { createPlans, type Plans } from './kept-plans.ts'
import { createLimit, type Limit } from './limit.ts'
import { loadDriver } from './load-driver.ts'
import { openSchema } from './open.ts'
import type { Place } from './place.ts'
import type { Run } from './run.ts'

/** The connections of a store. */
export interface Connections {
  readonly place: Place
  /** Works with a connection; the schema is made or checked first. A connection that failed is not used again. */
  use<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** A connection of its own to listen with, or `undefined` where none can be had. */
  lone(): Promise<PgLoneClient | undefined>
  /** Lets go of what was opened here. A pool that was brought stays open. */
  close(): Promise<void>
}

/** Where connections come from: a string to make them by, or somebody's pool. */
export interface ConnectionOptions {
  place: Place
  create: boolean
  connectionString: string | undefined
  pool: PgPool | undefined
  /** How long an answer is waited for. */
  timeoutMs: number
  onWarning: OnWarning
}

/** How many connections a store has of its own, besides those to open and to listen with. */
const CONNECTIONS = 10

/** How long a server may take to let a connection in. */
const CONNECT_MS = 5000

/** Nothing is loaded or connected yet. */
export function createConnections({
  place,
  create,
  connectionString,
  pool,
  timeoutMs,
  onWarning,
}: ConnectionOptions): Connections {
  // The pool gives up on who waits too long for a connection, be the database ever so well: nobody waits there.
  const limit: Limit = pool ? (work) => work() : createLimit(CONNECTIONS)
  let own: Promise<PgPool> | undefined
  let opened: Promise<void> | undefined
  let closed = false
  const plans = createPlans()
  const connectMs = Math.min(CONNECT_MS, timeoutMs)

  async function connect(): Promise<PgPoolClient> {
    if (closed) throw new StoreClosed()
    if (pool) return takeClient(pool, timeoutMs)
    own ??= createPool(connectionString!, connectMs)
    own.catch(() => {
      own = undefined
    })
    return takeClient(await own, timeoutMs)
  }

  /** A failure is told to everybody who waited for it, and the next one tries again. */
  function open(): Promise<void> {
    opened ??= connect()
      .then((client) =>
        withClient(client, { plans, timeoutMs }, (run) => openSchema(run, place, { create, onWarning })),
      )
      .catch((error) => {
        opened = undefined
        throw error
      })
    return opened
  }

  return {
    place,
    async use(work) {
      await open()
      return limit(async () => withClient(await connect(), { plans, timeoutMs }, work))
    },
    async lone() {
      if (pool) return loneOf(pool)
      const { Client } = await loadDriver()
      return new Client({
        connectionString: connectionString!,
        connectionTimeoutMillis: connectMs,
        keepAlive: true,
        application_name: 'holdpoint listener',
      })
    },
    async close() {
      closed = true
      const made = await own?.catch(() => undefined)
      await made?.end()
    },
  }
}

/** An idle connection that breaks is dropped by the pool; nobody waits for it, so there is nobody to tell. */
async function createPool(connectionString: string, connectMs: number): Promise<PgPool> {
  const { Pool } = await loadDriver()
  const pool = new Pool({
    connectionString,
    max: CONNECTIONS + 1,
    allowExitOnIdle: true,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: 'holdpoint',
  })
  pool.on('error', () => undefined)
  return pool
}

/**
 * Without a listener, a connection that breaks would end the process. One that is made may break in the same breath, so a promise of it
 * would be too late.
 */
function takeClient(pool: PgPool, timeoutMs: number): Promise<PgPoolClient> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(new Error(`no connection within ${timeoutMs} ms`))
    }, timeoutMs)
    pool.connect((error, client) => {
      clearTimeout(timer)
      if (late) return client?.release()
      client?.on('error', ignore)
      if (client) resolve(client)
      else reject(error)
    })
  })
}

function ignore(): void {}

async function withClient<T>(
  client: PgPoolClient,
  { plans, timeoutMs }: { plans: Plans; timeoutMs: number },
  work: (run: Run) => Promise<T>,
): Promise<T> {
  let failed = true
  try {
    const run: Run = (text, values) => answered(plans.run(client, text, values), timeoutMs)
    run.kept = (text, values) => answered(plans.runKept(client, text, values), timeoutMs)
    const result = await work(run)
    failed = false
    return result
  } finally {
    if (!failed) client.off('error', ignore)
    client.release(failed)
  }
}

/** A peer that is gone without a word never answers. Whether it did what it was told is not known then, as with any connection that is lost. */
function answered<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** What `pg-pool` itself makes its connections with. One of the pool's own could be its last. */
function loneOf(pool: PgPool): PgLoneClient | undefined {
  const { Client, options } = pool as { Client?: new (options: unknown) => PgLoneClient; options?: unknown }
  return Client && options ? new Client(options) : undefined
}
