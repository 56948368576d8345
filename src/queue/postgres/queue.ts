import type { Queue, WakeUp } from '../../ports/queue.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { checkPostgresAddress } from '../../protocol/checks/server-address.ts'
import { InputInvalid, QueueFailed } from '../../protocol/errors/errors.ts'
import { checkRing } from '../shared/check.ts'
import { withDeadline } from '../shared/deadline.ts'
import { checkTimes, type EngineTimes, TIMES } from '../shared/options.ts'
import { PostgresConsumer } from './consumer.ts'
import { openDatabase } from './database.ts'
import { addJob } from './jobs.ts'
import { checkSchemaName } from './schema-name.ts'

/** Options of {@link postgresQueue}. */
export interface PostgresQueueOptions extends EngineTimes {
  connectionString: string
  /** Goes round a PgBouncer that pools transactions, for consumers: LISTEN gets nothing through it. Default: `connectionString`. */
  listenConnectionString?: string
  /** The schema of the jobs, made if it is missing. Do not share it with jobs of your own. Default `holdpoint_queue`. */
  schema?: string
  /**
   * The schema of a `postgresStore` in the same database. A trigger on its outbox then rings in the transaction of each decision, so whoever decides
   * needs no queue. Start the store first. A store rings one queue: a second one on the same store is refused.
   */
  storeSchema?: string
}

/** A queue on Postgres. */
export interface PostgresQueue extends Queue {
  /**
   * Creates what is missing in the database, for a user who may: tables, functions and, with `storeSchema`, the trigger. The first ring or consumer
   * does it, too.
   */
  prepare(): Promise<void>
}

/**
 * A queue on Postgres, by graphile-worker (`npm install graphile-worker pg`). Consumers are woken by LISTEN; delayed wake-ups may be a second late.
 */
export function postgresQueue(options: PostgresQueueOptions): PostgresQueue {
  const { connectionString, listenConnectionString, schema = 'holdpoint_queue', storeSchema } = check(options)
  const times = checkTimes(options)
  const database = openDatabase({ connectionString, listenConnectionString, schema, storeSchema, times })
  const consumers = new Set<PostgresConsumer>()
  let closing: Promise<void> | undefined

  function requireOpen(): void {
    if (closing !== undefined) throw new QueueFailed('This queue is closed; create a new one.')
  }

  async function close(): Promise<void> {
    await Promise.all([...consumers].map((consumer) => consumer.stop()))
    await withDeadline(database.ringing.end(), 'Postgres cannot be reached', times).catch(() => undefined)
  }

  async function add(wakeUp: WakeUp, delayMs: number): Promise<void> {
    await database.prepare()
    const job = { wakeUp, failures: 0, delayMs }
    const { tables } = database
    await addJob(database.ringing, schema, job).catch(async (error: unknown) => {
      if ((await database.restore()) === tables) throw error
      await addJob(database.ringing, schema, job)
    })
  }

  return {
    // Before that there may be no trigger yet.
    get isRungByStore() {
      return storeSchema !== undefined && database.isPrepared
    },
    async prepare() {
      requireOpen()
      await database.prepare().catch((error) => {
        throw error instanceof QueueFailed ? error : new QueueFailed('The queue cannot be prepared', error)
      })
    },
    async ring(given, ringOptions) {
      requireOpen()
      const { wakeUp, delayMs } = checkRing(given, ringOptions)
      const deadline = { timeoutMs: times.timeoutMs, signal: ringOptions?.signal }
      await withDeadline(add(wakeUp, delayMs), 'The ring did not reach Postgres', deadline)
    },
    async consume(consumeOptions) {
      requireOpen()
      const consumer = new PostgresConsumer(database, consumeOptions)
      consumers.add(consumer)
      return { stop: () => consumer.stop().finally(() => consumers.delete(consumer)) }
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

const KNOWN = ['connectionString', 'listenConnectionString', 'schema', 'storeSchema', ...TIMES]

function check(options: PostgresQueueOptions | undefined): PostgresQueueOptions {
  requireKnown('postgresQueue()', options, KNOWN)
  if (typeof options?.connectionString !== 'string' || options.connectionString === '')
    throw new InputInvalid('postgresQueue() needs a connectionString')
  const { connectionString, listenConnectionString, schema, storeSchema } = options
  checkPostgresAddress('connectionString', connectionString)
  if (listenConnectionString !== undefined) checkPostgresAddress('listenConnectionString', listenConnectionString)
  for (const name of [schema, storeSchema]) {
    if (name !== undefined) checkSchemaName(name)
  }
  return options
}
