import type { Run } from '../../core/state.ts'
import type { CallKey } from '../../protocol/ids.ts'
import { Attempt, type BodyEnvironment } from './attempt.ts'
import type { SettledAttempt } from './body-end.ts'
import type { StartedCall } from './started-call.ts'

const NONE: ReadonlySet<CallKey> = new Set()

/** The tool bodies that run in this process for one loop. Writes nothing. */
export class Bodies {
  readonly #environment: BodyEnvironment
  readonly #running = new Map<CallKey, Promise<void>>()
  /** The current or last work of each line. */
  readonly #lines = new Map<string, Promise<unknown>>()
  #settled: SettledAttempt[] = []
  #wake: (() => void) | undefined

  constructor(environment: Omit<BodyEnvironment, 'inLine'>) {
    this.#environment = { ...environment, inLine: (line, work) => this.#inLine(line, work) }
  }

  /** The calls whose bodies have not been taken as settled. */
  keys(): ReadonlySet<CallKey> {
    if (!this.busy) return NONE
    const keys = new Set(this.#running.keys())
    for (const { key } of this.#settled) keys.add(key)
    return keys
  }

  /** Whether bodies are still running or have ends that were not taken. */
  get busy(): boolean {
    return this.#running.size > 0 || this.#settled.length > 0
  }

  /** Runs a body. Its end, whatever it is, shows in `takeSettled`. */
  start(run: Run, started: StartedCall): void {
    const { key } = started.call
    const attempt = () => new Attempt(this.#environment, run, started).run()
    const { inCall } = this.#environment
    const body = (inCall ? inCall(key, attempt) : attempt()).then((end) => {
      this.#running.delete(key)
      this.#settled.push({ key, attempt: started.attempt, end })
      this.#wake?.()
    })
    this.#running.set(key, body)
  }

  /** Waits until something has settled or nothing runs. */
  async settled(): Promise<void> {
    if (this.#settled.length > 0 || this.#running.size === 0) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#wake = undefined
    // Bodies that end in the same turn are recorded in one append.
    await Promise.resolve()
  }

  /** Takes what has settled since the last time. */
  takeSettled(): SettledAttempt[] {
    const taken = this.#settled
    this.#settled = []
    return taken
  }

  /** Takes attempts back that could not be recorded. */
  giveBack(attempts: readonly SettledAttempt[]): void {
    this.#settled.unshift(...attempts)
  }

  /** Serialises the work of one line, including work that timed out but has not ended. */
  #inLine<T>(line: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#lines.get(line) ?? Promise.resolve()).then(work)
    this.#lines.set(
      line,
      mine.catch(() => undefined),
    )
    return mine
  }
}
