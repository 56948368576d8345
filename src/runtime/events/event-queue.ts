import type { AgentEvent } from '../../protocol/event.ts'

/** The number of unread events from which adjacent text parts are joined. */
const MANY = 256

type Waiter = { resolve: (result: IteratorResult<AgentEvent, undefined>) => void; reject: (error: unknown) => void }

/**
 * A queue of events for one reader, who may be late or slow. The run never waits for it, and no event is dropped. Adjacent text parts are joined
 * when many events are unread, so the queue never holds much more than the run adds to its conversation.
 */
export class EventQueue {
  readonly #unread: AgentEvent[] = []
  readonly #waiters: Waiter[] = []
  #end: { error: unknown } | undefined

  /** Adds an event, or resolves the oldest waiting read with it. */
  push(event: AgentEvent): void {
    if (this.#end) return
    const waiter = this.#waiters.shift()
    if (waiter) return waiter.resolve({ done: false, value: event })
    const joined = this.#unread.length < MANY ? undefined : join(this.#unread.at(-1), event)
    if (joined) this.#unread[this.#unread.length - 1] = joined
    else this.#unread.push(event)
  }

  /** Ends the queue. If there is an error, reading throws it once, after the last event. */
  end(error?: unknown): void {
    if (this.#end) return
    this.#end = { error }
    if (this.#waiters.length > 0) void this.#last().then(this.#waiters[0]!.resolve, this.#waiters[0]!.reject)
    for (const { resolve } of this.#waiters.splice(0).slice(1)) resolve({ done: true, value: undefined })
  }

  /** Discards the unread events. */
  clear(): void {
    this.#unread.length = 0
  }

  /** Resolves to the next event as soon as there is one. */
  next(): Promise<IteratorResult<AgentEvent, undefined>> {
    const event = this.#unread.shift()
    if (event) return Promise.resolve({ done: false, value: event })
    if (this.#end) return this.#last()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
    })
  }

  async #last(): Promise<IteratorResult<AgentEvent, undefined>> {
    const error = this.#end?.error
    this.#end = { error: undefined }
    if (error !== undefined) throw error
    return { done: true, value: undefined }
  }
}

/** Joins two parts of the same text, or returns `undefined`. */
function join(before: AgentEvent | undefined, after: AgentEvent): AgentEvent | undefined {
  if (before?.type !== 'model_part' || after.type !== 'model_part') return undefined
  const [one, two] = [before.part, after.part]
  if (!('text' in one) || !('text' in two) || one.type !== two.type) return undefined
  if (before.turn !== after.turn || before.path.join('\0') !== after.path.join('\0')) return undefined
  return { ...after, part: { type: one.type, text: one.text + two.text } }
}
