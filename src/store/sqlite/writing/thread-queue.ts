import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../ports/clock.ts'
import { StoreBusy, StoreFailed } from '../../../protocol/errors/errors.ts'
import type { Trust } from '../../shared/verify.ts'
import type { ConnectionHolder, ConnectionOptions } from '../connection/connection.ts'
import type { DriverName } from '../connection/driver.ts'
import type { CommitQueue } from './commit-queue.ts'
import { createGate, type GateMemory, shutAtExit } from './exit-gate.ts'
import type { ShortTurns } from './short-turns.ts'
import type { Outcomes, TimedWrite, Write } from './write.ts'

/** What the thread is started with. */
export interface ThreadData extends Pick<ConnectionOptions, 'path' | 'durability'> {
  /** The library of the program's own thread: two of them may damage the file. */
  readonly driver: DriverName
  readonly gate: GateMemory
  readonly busyTimeoutMs: number
  readonly trust: Trust
}

/** What the thread is told. It answers every array of writes with an {@link Answer} for each. */
export type Order = readonly TimedWrite[] | 'close'

/** What became of a write. Of one that failed, nothing is stored. */
export type Answer = { readonly kind: 'done'; readonly outcome: unknown } | { readonly kind: 'busy' | 'failed' }

/** Options of a queue with a thread of its own. */
export interface ThreadQueueOptions {
  readonly data: Omit<ThreadData, 'driver' | 'gate'>
  /** The connection of the program's own thread. */
  readonly holder: ConnectionHolder
  /** The queue of the program's own thread. */
  readonly here: CommitQueue
  /** Tells the time of writes, if not the system's clock. */
  readonly clock: Clock | undefined
  /** Hands out what the thread answers. */
  readonly turns: ShortTurns
}

interface Job extends Omit<TimedWrite, 'waitedMs'> {
  /** When it was queued. */
  readonly since: number
  resolve(outcome: unknown): void
  reject(error: unknown): void
}

/**
 * Makes writes on a thread of its own, so that the program's own never waits for the disk. The guarantees are those of the commit queue: the thread runs
 * one. Writes that come while others are being made are sent together.
 *
 * A write that fails there is made again here: nothing of it is stored, and so its error is the very one that it has without a thread. If the thread
 * itself ends, the store refuses all writes: those under way may be stored or not, as after a crash.
 */
export class ThreadQueue implements CommitQueue {
  readonly #options: ThreadQueueOptions
  #queue: Job[] = []
  #underWay: Job[] = []
  /** Whether others held the lock until now: then what is queued has waited for it, too. */
  #wasBusy = false
  #thread: Worker | undefined
  #ended: Error | undefined
  #idle: (() => void)[] = []

  constructor(options: ThreadQueueOptions) {
    this.#options = options
  }

  push<W extends Write>(write: W): Promise<Outcomes[W['op']]> {
    if (this.#ended) return Promise.reject(this.#ended)
    const time = this.#options.clock?.now()
    return new Promise((resolve, reject) => {
      const since = performance.now()
      this.#queue.push({ write, time, since, resolve: resolve as (outcome: unknown) => void, reject })
      // Writes of one moment are sent together, and those of a group that goes on.
      if (this.#queue.length === 1) this.#options.turns.atPause(() => this.#flush())
    })
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve)
      this.#settleIdle()
    })
    await this.#options.here.close()
    // After all that was answered.
    await new Promise<void>((resolve) => this.#options.turns.give(resolve))
    const thread = this.#thread
    if (!thread || this.#ended) return
    const gone = new Promise((resolve) => thread.once('exit', resolve))
    thread.ref()
    thread.postMessage('close' satisfies Order)
    await gone
  }

  #flush(): void {
    if (this.#underWay.length > 0 || this.#queue.length === 0) return
    const jobs = this.#queue
    this.#queue = []
    if (this.#isOpen()) this.#send(jobs)
    else for (const job of jobs) this.#makeHere(job)
    this.#settleIdle()
  }

  /** Whatever keeps the file from being opened is told by the queue of this thread, as are warnings. */
  #isOpen(): boolean {
    try {
      this.#options.holder.get()
      return true
    } catch {
      return false
    }
  }

  #send(jobs: Job[]): void {
    this.#underWay = jobs
    try {
      this.#thread ??= this.#start()
    } catch (error) {
      return this.#end(error)
    }
    try {
      this.#thread.postMessage(this.#toOrder(jobs))
      this.#thread.ref()
    } catch {
      // One of them is no data.
      this.#underWay = []
      for (const job of jobs) this.#makeHere(job)
    }
  }

  #toOrder(jobs: readonly Job[]): Order {
    const now = performance.now()
    return jobs.map(({ write, time, since }) => ({ write, time, waitedMs: this.#wasBusy ? now - since : 0 }))
  }

  #start(): Worker {
    const { data, holder } = this.#options
    const gate = createGate()
    const workerData: ThreadData = { ...data, driver: holder.get().driver, gate }
    const thread = new Worker(fileOfThread(), { workerData, ...optionsOfFiles() })
    const forget = shutAtExit(gate)
    thread.on('message', (answers) => this.#answered(answers))
    thread.on('error', (error) => this.#end(error))
    thread.on('exit', (code) => {
      forget()
      this.#end(new Error(`exit code ${code}`))
    })
    return thread
  }

  #answered(answers: readonly Answer[]): void {
    const jobs = this.#underWay
    this.#underWay = []
    this.#wasBusy = answers.some(({ kind }) => kind === 'busy')
    // An idle store does not keep the process from ending.
    this.#thread?.unref()
    this.#flush()
    for (const [index, job] of jobs.entries()) {
      const answer = answers[index]!
      if (answer.kind === 'done') this.#options.turns.give(() => job.resolve(answer.outcome))
      else if (answer.kind === 'busy') job.reject(new StoreBusy(this.#options.data.path))
      else this.#makeHere(job)
    }
    this.#settleIdle()
  }

  #makeHere({ write, time, resolve, reject }: Job): void {
    this.#options.here.push(write, { time }).then(resolve, reject)
  }

  #end(cause: unknown): void {
    this.#ended ??= new StoreFailed(`The thread that writes to ${this.#options.data.path} has ended`, cause)
    const lost = [...this.#underWay, ...this.#queue]
    this.#underWay = []
    this.#queue = []
    for (const { reject } of lost) reject(this.#ended)
    this.#settleIdle()
  }

  #settleIdle(): void {
    if (this.#queue.length === 0 && this.#underWay.length === 0) for (const settle of this.#idle.splice(0)) settle()
  }
}

/** Threads inherit the options of the program. Of one that is given as text (`node -e`, or standard input), one refuses files. */
function optionsOfFiles(): { execArgv?: string[] } {
  return process.execArgv.some((option) => option.startsWith('--input-type')) ? { execArgv: [] } : {}
}

/** The package finds itself by its name, wherever the build has put this code. */
function fileOfThread(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('holdpoint/package.json'))
  return join(folder, 'dist', 'store', 'sqlite', 'writing', 'writer-thread.js')
}
