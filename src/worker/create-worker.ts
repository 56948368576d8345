import { runRetention } from '../erasure/retention.ts'
import { pause, ticks, timeBy } from '../ports/clock.ts'
import type { Consumer, WakeUp } from '../ports/queue.ts'
import { warn } from '../ports/warnings.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { InputInvalid, messageOf } from '../protocol/errors/errors.ts'
import { uuidSource } from '../protocol/uuid.ts'
import { ThreadDrive } from './drive-thread.ts'
import type { WorkerEvent } from './events.ts'
import { recordFailure } from './failure.ts'
import { Leader } from './leader.ts'
import { toWorkerSettings, type WorkerOptions, type WorkerSettings } from './options.ts'
import { Pool, type PooledDrive } from './pool.ts'
import { Presence } from './presence.ts'
import { Previews } from './previews.ts'
import { Relay } from './relay.ts'
import { Sweeps } from './sweeps.ts'

/** What a worker is doing. */
export interface WorkerStatus {
  /** `draining`: it takes nothing new, and finishes what runs. */
  state: 'new' | 'running' | 'draining' | 'stopped'
  id: string
  routes: readonly string[]
  /** How many threads it drives now, and how many wait here for a free slot. */
  active: number
  waiting: number
  /** Whether it rings for decisions and records deadlines, which one of all workers does. */
  leads: boolean
}

/** Drives threads until it is stopped or disposed of. */
export interface ThreadWorker extends AsyncDisposable {
  /** Begins. Resolves once it takes wake-ups. Rejects if the store or the queue refuses: it can then be started again. */
  start(): Promise<void>
  /**
   * Takes nothing new, and resolves when nothing is driven here any more. Tools that run are finished; after them the thread is handed over. After
   * `graceMs` (default 30,000) tools are told to stop by their signal, and the leases are dropped.
   */
  stop(options?: { graceMs?: number }): Promise<void>
  status(): WorkerStatus
}

/**
 * Creates a worker: it resumes threads whose requests were decided, starts runs that were enqueued, and records deadlines. Any number of processes
 * may have one on the same store; each thread is driven by one of them at a time.
 */
export function createWorker(options: WorkerOptions): ThreadWorker {
  return new RunningWorker(toWorkerSettings(options, warnOf))
}

function warnOf(event: WorkerEvent): void {
  if (event.type === 'error')
    warn('worker_failed', `A worker goes on after a failure: ${event.what}: ${messageOf(event.error)}`)
  if (event.type === 'dead')
    warn('worker_failed', `Thread ${event.threadId} is stuck after ${event.tries} tries: ${messageOf(event.error)}`)
}

const GRACE_MS = 30_000

class RunningWorker implements ThreadWorker {
  readonly #settings: WorkerSettings
  readonly #id: string
  readonly #stopping = new AbortController()
  readonly #pool: Pool
  readonly #leader: Leader
  #state: WorkerStatus['state'] = 'new'
  #consumer: Consumer | undefined
  #sweeps: Sweeps | undefined
  #background: Promise<unknown> | undefined
  #started: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  constructor(settings: WorkerSettings) {
    this.#settings = settings
    const { store, clock, concurrency, perTenant, backlog } = settings
    this.#id = uuidSource(() => timeBy(clock))()
    this.#leader = new Leader({ store, clock, name: 'workers', id: this.#id })
    this.#pool = new Pool({
      ...{ concurrency, perTenant, backlog },
      start: (wakeUp) => this.#drive(wakeUp),
      onHungry: () => this.#sweeps?.hurry(),
    })
  }

  status(): WorkerStatus {
    const { active, waiting } = this.#pool
    const routes = [...this.#settings.agents.keys()]
    return { state: this.#state, id: this.#id, routes, active, waiting, leads: this.#leader.leads }
  }

  start(): Promise<void> {
    if (this.#state !== 'new')
      return Promise.reject(new InputInvalid(`A worker is started once; this one is ${this.#state}.`))
    this.#state = 'running'
    this.#started = this.#start()
    return this.#started
  }

  async #start(): Promise<void> {
    const { store, queue, agents, clock, random, sweepMs, onEvent } = this.#settings
    const routes = [...agents.keys()]
    const presence = new Presence({ store, id: this.#id, routes, clock, onEvent })
    try {
      // The consumer is first: if it is refused, nothing has to be taken back.
      this.#consumer ??= await this.#consume(routes)
      await presence.announce()
    } catch (error) {
      if (this.#state === 'running') this.#state = 'new'
      throw error
    }
    const { signal } = this.#stopping
    const relay = new Relay({ store, queue, leader: this.#leader, clock, onEvent })
    const own = { pool: this.#pool, leader: this.#leader, routes: new Set(routes), everyMs: sweepMs }
    this.#sweeps = new Sweeps({ store, clock, random, onEvent, ...own })
    const work = [presence.run(signal), relay.run(signal), this.#sweeps.run(signal), this.#retain(signal)]
    if (this.#settings.previews) work.push(new Previews({ ...this.#settings, everyMs: sweepMs }).run(signal))
    this.#background = Promise.all(work)
  }

  async #retain(signal: AbortSignal): Promise<void> {
    const { store, clock, onEvent, retentionMs: olderThanMs } = this.#settings
    if (olderThanMs === undefined) return
    const what = 'a thread is too old and cannot be erased'
    await runRetention(store, {
      ...{ olderThanMs, signal, clock },
      isTurn: () => this.#leader.leads,
      onSwept({ erased, problems }) {
        if (erased > 0) onEvent({ type: 'erased', threads: erased })
        for (const { error } of problems) onEvent({ type: 'error', what, error })
      },
      onError: (error) => onEvent({ type: 'error', what: 'threads that are too old could not be erased', error }),
    })
  }

  #consume(routes: readonly string[]): Promise<Consumer> {
    const { queue, concurrency, onEvent } = this.#settings
    return queue.consume({
      routes,
      concurrency,
      handle: async (wakeUp) => this.#pool.offer(wakeUp),
      onError: (error) => onEvent({ type: 'error', what: 'the queue failed', error }),
    })
  }

  stop(options: { graceMs?: number } = {}): Promise<void> {
    requireKnown('worker.stop()', options, ['graceMs'])
    const { graceMs = GRACE_MS } = options
    if (!(graceMs >= 0)) throw new InputInvalid(`graceMs must be a number from 0, not ${graceMs}.`)
    this.#stopped ??= this.#stop(graceMs)
    return this.#stopped
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #stop(graceMs: number): Promise<void> {
    this.#state = 'draining'
    this.#stopping.abort()
    const left = this.#pool.close()
    this.#pool.detachAll()
    // What it has begun meanwhile must be ended too.
    await this.#started?.catch(() => undefined)
    await Promise.all([
      this.#tell('the queue could not be left', async () => this.#consumer?.stop()),
      this.#background,
      this.#handOver(left),
      this.#drain(graceMs),
    ])
    this.#state = 'stopped'
  }

  async #drain(graceMs: number): Promise<void> {
    const drained = new AbortController()
    const idle = this.#pool.idle().then(() => drained.abort())
    await pause(graceMs, { signal: drained.signal, clock: this.#settings.clock })
    this.#pool.abortAll()
    await idle
  }

  /** Rings again for wake-ups that were taken and not acted on. */
  async #handOver(left: readonly WakeUp[]): Promise<void> {
    const { queue } = this.#settings
    await Promise.all(left.map((each) => this.#tell('a thread could not be handed over', () => queue.ring(each))))
  }

  #drive(wakeUp: WakeUp): PooledDrive {
    const drive = new ThreadDrive(this.#settings, wakeUp)
    return {
      detach: () => drive.detach(),
      abort: () => drive.abort(),
      run: () => this.#tell('what came of a thread could not be recorded', () => this.#finish(drive, wakeUp)),
    }
  }

  async #finish(drive: ThreadDrive, wakeUp: WakeUp): Promise<void> {
    const { queue, clock, onEvent } = this.#settings
    const { tenantId, threadId } = wakeUp
    const began = ticks(clock)
    const driven = await drive.run()
    switch (driven.kind) {
      case 'over':
      case 'waiting':
      case 'handed_over': {
        const { kind: outcome, place } = driven
        onEvent({ type: 'driven', tenantId, threadId, outcome, ...place, ms: ticks(clock) - began })
        if (outcome === 'handed_over') await queue.ring(wakeUp)
        // No row of the outbox tells of a time that the driver has set, such as the end of the next undo window.
        return driven.kind === 'waiting' ? this.#ringAgain(wakeUp, driven.againInMs) : undefined
      }
      case 'elsewhere':
        onEvent({ type: 'passed', tenantId, threadId, why: 'elsewhere' })
        return queue.ring({ tenantId, threadId, route: driven.route })
      case 'busy':
        return onEvent({ type: 'passed', tenantId, threadId, why: 'busy' })
      case 'not_due':
        onEvent({ type: 'passed', tenantId, threadId, why: 'not_due' })
        return this.#ringAgain(wakeUp, driven.againInMs)
      case 'failed':
        return recordFailure(this.#settings, wakeUp, driven.error)
      default:
        return driven satisfies never
    }
  }

  async #ringAgain(wakeUp: WakeUp, delayMs: number | null): Promise<void> {
    if (delayMs !== null) await this.#settings.queue.ring(wakeUp, { delayMs })
  }

  /** Does something whose failure costs only time: the store's mark remembers the thread. */
  async #tell(what: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.#settings.onEvent({ type: 'error', what, error })
    }
  }
}
