/**
 * The waits of this process, by key.
 *
 * A1  A ring after `watch` is never missed. If it comes while nobody is in `next`, the following `next` returns at once.
 * A2  A closed watch leaves nothing behind: no listener on its signal, no timer, no entry here.
 * A3  A watch costs one small object and one Node timer.
 */
export interface Watches {
  /** Begins to watch keys. `ring`: which event matters, besides the end. */
  watch(
    keys: string | readonly string[],
    options: { ring: Ring; waitMs: number; signal?: AbortSignal | undefined },
  ): Watch
  /** Wakes all watches of this key for this event. Returns how many. */
  ring(key: string, ring: Ring): number
  /** How many watch a key. */
  count(key: string): number
  /** How many keys are watched. */
  readonly size: number
  /** Ends all watches, now and from now on. */
  end(): void
}

/** An event: a message was sent, the question of that id was answered, or the session ended. */
export type Ring = 'message' | `reply:${string}` | 'end'

/** One wait. */
interface Watch {
  /** `look`: it rang since the last call, or `atMostMs` passed. `over`: the time is up, the signal fired, or all watches were ended. */
  next(atMostMs: number): Promise<'look' | 'over'>
  close(): void
}

/** The longest delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1

export function createWatches(): Watches {
  const byKey = new Map<string, Set<KeyWatch>>()
  let ended = false

  const forget = (watch: KeyWatch): void => {
    for (const key of watch.keys) {
      const watching = byKey.get(key)
      watching?.delete(watch)
      if (watching?.size === 0) byKey.delete(key)
    }
  }

  return {
    watch(given, { ring, waitMs, signal }) {
      const keys = typeof given === 'string' ? [given] : given
      const watch = new KeyWatch(keys, { ring, deadline: performance.now() + waitMs, signal, forget })
      if (ended) watch.end()
      for (const key of keys) {
        const watching = byKey.get(key)
        if (watching) watching.add(watch)
        else byKey.set(key, new Set([watch]))
      }
      return watch
    },
    ring(key, ring) {
      const told = [...(byKey.get(key) ?? [])].filter((watch) => ring === 'end' || ring === watch.wanted)
      for (const watch of told) watch.tell()
      return told.length
    },
    count: (key) => byKey.get(key)?.size ?? 0,
    get size() {
      return byKey.size
    },
    end() {
      ended = true
      for (const watching of [...byKey.values()]) for (const watch of [...watching]) watch.end()
    },
  }
}

interface WatchParts {
  ring: Ring
  deadline: number
  signal: AbortSignal | undefined
  forget(watch: KeyWatch): void
}

class KeyWatch implements Watch {
  readonly keys: readonly string[]
  readonly wanted: Ring
  readonly #deadline: number
  readonly #signal: AbortSignal | undefined
  readonly #forget: (watch: KeyWatch) => void
  #rung = false
  #over = false
  #waiting: { resolve(outcome: 'look' | 'over'): void; timer: NodeJS.Timeout } | undefined

  constructor(keys: readonly string[], { ring, deadline, signal, forget }: WatchParts) {
    this.keys = keys
    this.wanted = ring
    this.#deadline = deadline
    this.#signal = signal
    this.#forget = forget
    if (signal?.aborted) this.#over = true
    else signal?.addEventListener('abort', this)
  }

  next(atMostMs: number): Promise<'look' | 'over'> {
    const left = this.#deadline - performance.now()
    if (this.#over || left <= 0) return Promise.resolve('over')
    if (this.#rung) {
      this.#rung = false
      return Promise.resolve('look')
    }
    return new Promise((resolve) => {
      // A timer may fire a millisecond early.
      const ms = Math.min(Math.max(Math.min(atMostMs, left), 0) + 1, LONGEST_MS)
      this.#waiting = { resolve, timer: setTimeout(timeUp, ms, this) }
    })
  }

  tell(): void {
    if (this.#waiting) this.settle('look')
    else this.#rung = true
  }

  /** The time of `next`, or of the whole wait, is up. */
  timeUp(): void {
    this.settle(performance.now() >= this.#deadline ? 'over' : 'look')
  }

  end(): void {
    this.#over = true
    this.settle('over')
  }

  /** The signal fired. */
  handleEvent(): void {
    this.end()
  }

  close(): void {
    this.end()
    this.#signal?.removeEventListener('abort', this)
    this.#forget(this)
  }

  private settle(outcome: 'look' | 'over'): void {
    const waiting = this.#waiting
    if (!waiting) return
    this.#waiting = undefined
    clearTimeout(waiting.timer)
    waiting.resolve(outcome)
  }
}

function timeUp(watch: KeyWatch): void {
  watch.timeUp()
}
