import { inTime } from '../../../ports/in-time.ts'
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
  /** Runs work with a connection, after the schema was created or checked. A connection that failed is not used again. */
  use<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Runs each statement with a connection of its own. */
  readonly each: Run
  /** A dedicated connection for `LISTEN`, or `undefined` if none is available. */
  lone(): Promise<PgLoneClient | undefined>
  /** Closes what was opened here. A pool that was passed in stays open. */
  close(): Promise<void>
}

/** Where connections come from: a connection string, or a pool that was passed in. */
export interface ConnectionOptions {
  place: Place
  create: boolean
  connectionString: string | undefined
  /** Where to listen: `undefined` where the others go, `null` nowhere. If given, the others keep no state between transactions. */
  listenConnectionString: string | null | undefined
  pool: PgPool | undefined
  /** The timeout of an answer. */
  timeoutMs: number
  onWarning: OnWarning
}

/** How many connections a store opens, besides those for opening and listening. */
const CONNECTIONS = 10

/** How long a server may take to let a connection in. */
const CONNECT_MS = 5000

/** Creates connections. Loads and connects nothing yet. */
export function createConnections({
  place,
  create,
  connectionString,
  listenConnectionString,
  pool,
  timeoutMs,
  onWarning,
}: ConnectionOptions): Connections {
  // A pool rejects callers that wait too long for a connection even if the database is fine, so no one waits inside the pool.
  const limit: Limit = pool ? (work) => work() : createLimit(CONNECTIONS)
  let own: Promise<PgPool> | undefined
  let opened: Promise<void> | undefined
  let closed = false
  const plans = createPlans({ keep: listenConnectionString === undefined })
  const connectMs = Math.min(CONNECT_MS, timeoutMs)

  async function connect(): Promise<PgPoolClient> {
    if (closed) throw new StoreClosed()
    if (pool) return takeClient(pool, timeoutMs)
    own ??= createPool(connectionString!, connectMs).catch((error) => {
      own = undefined
      throw error
    })
    return takeClient(await own, timeoutMs)
  }

  /** A failure rejects everyone who waited for it; the next caller tries again. */
  function open(): Promise<void> {
    opened ??= connect()
      .then((client) =>
        withClient(client, { plans, timeoutMs }, (run) => openSchema(run, place, { create, onWarning, timeoutMs })),
      )
      .catch((error) => {
        opened = undefined
        throw error
      })
    return opened
  }

  async function use<T>(work: (run: Run) => Promise<T>): Promise<T> {
    await open()
    return limit(async () => withClient(await connect(), { plans, timeoutMs }, work))
  }

  const each: Run = (text, values) => use((run) => run(text, values))
  each.kept = (text, values) => use((run) => run.kept(text, values))

  return {
    place,
    use,
    each,
    async lone() {
      if (listenConnectionString === null) return undefined
      if (pool && listenConnectionString === undefined) return loneOf(pool)
      const { Client } = await loadDriver()
      return new Client({
        connectionString: listenConnectionString ?? connectionString!,
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

/** The pool drops an idle connection that breaks. No caller waits for it, so there is no one to notify. */
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
 * Takes a client and adds an error listener: without one, a broken connection would end the process. A new connection may break in the same tick, so
 * awaiting a promise first would be too late.
 */
function takeClient(pool: PgPool, timeoutMs: number): Promise<PgPoolClient> {
  let late = false
  const taken = new Promise<PgPoolClient>((resolve, reject) => {
    pool.connect((error, client) => {
      if (late) return client?.release()
      client?.on('error', ignore)
      if (client) resolve(client)
      else reject(error)
    })
  })
  return inTime(taken, timeoutMs, () => {
    late = true
    return new Error(`no connection within ${timeoutMs} ms`)
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

/** A peer that vanished never answers. Whether it executed the statement is unknown, as with any lost connection. */
function answered<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  return inTime(answer, timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`))
}

/** Opens a connection outside of the pool, with the pool's own client class and options. A pooled connection could be the pool's last. */
function loneOf(pool: PgPool): PgLoneClient | undefined {
  const { Client, options } = pool as { Client?: new (options: unknown) => PgLoneClient; options?: unknown }
  return Client && options ? new Client(options) : undefined
}
