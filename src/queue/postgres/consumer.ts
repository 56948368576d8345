import type * as Graphile from 'graphile-worker'
import type pg from 'pg'
import { pause } from '../../ports/clock.ts'
import type { ConsumeOptions, Consumer } from '../../ports/queue.ts'
import { backOffMs } from '../shared/back-off.ts'
import { checkConsume } from '../shared/check.ts'
import { withDeadline } from '../shared/deadline.ts'
import { tell } from '../shared/tell.ts'
import type { Database } from './database.ts'
import { addJob, parseJob, taskOf } from './jobs.ts'

/** How often to look for delayed jobs, and for those whose notification was lost. */
const POLL_MS = 1000
/** The channel on which graphile-worker tells of changed tables. */
const MIGRATED = 'worker:migrate'
/** How long to wait before a pool of workers that ended on its own is replaced. */
const REPLACE_MS = 500

/** Takes the jobs of its routes, with a pool of graphile-worker that is replaced if it ends on its own. */
export class PostgresConsumer implements Consumer {
  readonly #place: Database
  readonly #options: ConsumeOptions
  readonly #tasks: Record<string, Graphile.Task>
  readonly #pool: pg.Pool
  readonly #ended = new AbortController()
  readonly #working: Promise<void>
  #workers: Graphile.WorkerPool | undefined
  /** Those that the pool of workers began with. */
  #tables: string | undefined
  #stopping: Promise<void> | undefined

  constructor(place: Database, options: ConsumeOptions) {
    const task = (payload: unknown) => this.#handle(payload)
    this.#tasks = Object.fromEntries(checkConsume(options).map((route) => [taskOf(route), task]))
    this.#place = place
    this.#options = options
    this.#pool = place.listening()
    this.#pool.on('connect', (client) => client.on('notification', (message) => this.#hear(message)))
    this.#working = this.#work()
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    this.#ended.abort()
    await this.#shutDown()
    await this.#working
    // While Postgres is away this would wait for it.
    const { timeoutMs } = this.#place.times
    await withDeadline(this.#pool.end(), 'Postgres cannot be reached', { timeoutMs }).catch(() => undefined)
  }

  /**
   * A pool of graphile-worker that hears of a breaking migration, also of another queue in the database, gives the process an exit code, as if the process
   * had to end. Here a pool is replaced instead, and the exit code is not ours. So it does not learn of it: it gets the same message, after this.
   */
  #hear(message: pg.Notification): void {
    if (message.channel !== MIGRATED) return
    message.channel = ''
    void this.#shutDown()
  }

  async #shutDown(): Promise<void> {
    if (!this.#workers || this.#workers._shuttingDown) return
    try {
      await this.#workers.gracefulShutdown('stopped')
    } catch {
      // Postgres is away. Jobs that were not completed are freed later, and handed out again.
    }
  }

  async #work(): Promise<void> {
    let last: string | undefined
    while (!this.#ended.signal.aborted) {
      try {
        this.#tables = await this.#place.restore()
        // The handlers of the pool before have ended, and its locks are nobody's.
        if (last !== undefined) await this.#free(last)
        if (!this.#ended.signal.aborted) last = await this.#runPool()
      } catch (error) {
        last = this.#workers?.id
        this.#tell(error)
      }
      await pause(REPLACE_MS, { signal: this.#ended.signal })
    }
    if (last !== undefined) await this.#free(last).catch(() => undefined)
  }

  /** Runs a pool until it ends, with signs of life. Resolves to its name. */
  async #runPool(): Promise<string> {
    const workers = this.#place.drivers.graphile.runTaskList(this.#graphileOptions(), this.#tasks, this.#pool)
    this.#workers = workers
    const { lostAfterMs } = this.#place.times
    const sign = () => this.#sign(workers.id)
    const timer = setInterval(sign, Math.ceil(lostAfterMs / 3))
    try {
      await Promise.all([sign(), workers.promise])
    } finally {
      clearInterval(timer)
    }
    return workers.id
  }

  #graphileOptions(): Graphile.WorkerPoolOptions {
    const { concurrency } = this.#options
    const { Logger } = this.#place.drivers.graphile
    return {
      schema: this.#place.schema,
      concurrency,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      noPreparedStatements: !this.#place.keepsStatements,
      logger: new Logger(() => (level, message, meta) => {
        if (level === 'error') this.#tell(meta?.error ?? new Error(message))
      }),
      // Without batches a job that cannot be completed would be a rejection that nobody handles.
      preset: { worker: { localQueue: { size: concurrency }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    }
  }

  async #sign(pool: string): Promise<void> {
    try {
      // A pool knows tasks by their numbers, so it must not go on with tables that were made again, here or by another process.
      if ((await this.#place.restore()) !== this.#tables) return await this.#shutDown()
      await this.#pool.query(`SELECT "${this.#place.schema}".holdpoint_rescue($1, $2)`, [
        pool,
        this.#place.times.lostAfterMs,
      ])
    } catch (error) {
      this.#tell(error)
    }
  }

  async #free(pool: string): Promise<void> {
    const { schema } = this.#place
    await this.#pool.query(`SELECT "${schema}".force_unlock_workers(ARRAY[$1])`, [pool])
    await this.#pool.query(`DELETE FROM "${schema}".holdpoint_consumers WHERE pool = $1`, [pool])
  }

  /** A handler that rejects is rung again: graphile-worker's own attempts would wait for hours. */
  async #handle(payload: unknown): Promise<void> {
    const { wakeUp, failures } = parseJob(payload)
    try {
      await this.#options.handle(wakeUp)
    } catch (error) {
      tell(this.#options.onError, error)
      const again = { wakeUp, failures: failures + 1, delayMs: backOffMs(failures + 1) }
      await addJob(this.#pool, this.#place.schema, again)
    }
  }

  /** Errors of connections that are being closed are no news. */
  #tell(error: unknown): void {
    if (!this.#ended.signal.aborted) tell(this.#options.onError, error)
  }
}
