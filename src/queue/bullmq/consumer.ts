import { setMaxListeners } from 'node:events'
import type * as Bullmq from 'bullmq'
import { pause } from '../../ports/clock.ts'
import type { ConsumeOptions, Consumer, WakeUp } from '../../ports/queue.ts'
import { messageOf } from '../../protocol/errors/errors.ts'
import { backOffMs } from '../shared/back-off.ts'
import { checkConsume, checkRing } from '../shared/check.ts'
import type { EngineTimes } from '../shared/options.ts'
import { Slots } from '../shared/slots.ts'
import { tell } from '../shared/tell.ts'
import type { Connections, ConsumerClient } from './connection.ts'
import type { Keys } from './keys.ts'

/** Where a consumer finds its jobs. */
export interface ConsumerPlace {
  readonly connections: Connections
  readonly keys: Keys
  readonly times: Required<EngineTimes>
}

/** How long to wait before a worker that ended on its own is replaced. */
const REPLACE_MS = 1000

/** Takes the jobs of its routes, with one worker of BullMQ for each. */
export class BullmqConsumer implements Consumer {
  readonly #place: ConsumerPlace
  readonly #options: ConsumeOptions
  readonly #slots: Slots
  readonly #redis: ConsumerClient
  readonly #handling = new Set<Promise<void>>()
  readonly #working: Promise<void>[]
  readonly #workers = new Map<string, Bullmq.Worker>()
  readonly #ended = new AbortController()
  #stopping: Promise<void> | undefined

  constructor(place: ConsumerPlace, options: ConsumeOptions) {
    const routes = checkConsume(options)
    this.#place = place
    this.#options = options
    this.#slots = new Slots(options.concurrency)
    // Each route and each of its clients waits while Redis is away. Node would warn of more than ten.
    setMaxListeners(0, this.#ended.signal)
    this.#redis = place.connections.consuming(this.#ended.signal)
    this.#working = routes.map((route) => this.#work(place.keys.nameOf(route)))
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    // A worker that does not know of the end asks connections that have ended for jobs, again and again without a pause.
    for (const worker of this.#workers.values()) worker.pause(true).catch((error) => this.#tell(error))
    this.#ended.abort()
    this.#slots.close()
    await Promise.all(this.#handling)
    // While Redis is away this takes as long as one attempt to connect. Jobs that were not put back are found stalled, and handed out again.
    const over = new AbortController()
    const closing = this.#close().finally(() => over.abort())
    await Promise.race([closing, pause(this.#place.times.timeoutMs, { signal: over.signal })])
  }

  async #close(): Promise<void> {
    await this.#redis.settled()
    await Promise.all([...this.#workers.values()].map((worker) => worker.close()))
    this.#redis.client.disconnect()
    await Promise.all(this.#working)
  }

  /** Keeps a worker for a route: one that ends on its own is replaced. */
  async #work(name: string): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const worker = this.#worker(name)
      this.#workers.set(name, worker)
      try {
        await worker.run()
      } catch (error) {
        this.#tell(error)
      }
      if (this.#ended.signal.aborted) return
      worker.close(true).catch(() => undefined)
      await pause(REPLACE_MS, { signal: this.#ended.signal })
    }
  }

  #worker(name: string): Bullmq.Worker {
    const { connections, keys, times } = this.#place
    const worker = new connections.bullmq.Worker(name, (job, token) => this.#process(job, token), {
      connection: this.#redis.client,
      prefix: keys.prefix,
      autorun: false,
      concurrency: this.#options.concurrency,
      // A lock is renewed at its half, and a job is found stalled by the second check after it.
      lockDuration: Math.max(2, Math.ceil(times.lostAfterMs / 3)),
      stalledInterval: Math.max(1, Math.ceil(times.lostAfterMs / 3)),
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: REPLACE_MS,
      settings: { backoffStrategy: backOffMs },
    })
    worker.on('error', (error) => this.#tell(error))
    return worker
  }

  async #process(job: Bullmq.Job, token: string | undefined): Promise<void> {
    const { UnrecoverableError, WaitingError } = this.#place.connections.bullmq
    const wakeUp = this.#parse(job.data)
    if (!wakeUp) throw new UnrecoverableError('this is not a wake-up')
    if (!(await this.#slots.take())) {
      await job.moveToWait(token)
      throw new WaitingError()
    }
    const handling = this.#handle(wakeUp)
    const settled = handling.then(
      () => undefined,
      () => undefined,
    )
    this.#handling.add(settled)
    try {
      await handling
    } finally {
      this.#handling.delete(settled)
      this.#slots.release()
    }
  }

  async #handle(wakeUp: WakeUp): Promise<void> {
    try {
      await this.#options.handle(wakeUp)
    } catch (error) {
      tell(this.#options.onError, error)
      // BullMQ keeps a stack and expects an error.
      throw new Error(messageOf(error))
    }
  }

  #parse(data: unknown): WakeUp | undefined {
    try {
      return checkRing(data as WakeUp).wakeUp
    } catch (error) {
      this.#tell(error)
      return undefined
    }
  }

  /** Errors of connections that are being closed are no news. */
  #tell(error: unknown): void {
    if (!this.#ended.signal.aborted) tell(this.#options.onError, error)
  }
}
