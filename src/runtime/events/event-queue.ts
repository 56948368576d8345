import type { AgentEvent } from '../../protocol/event.ts'

/** From how many unread events on a piece of text joins the one before it. */
const MANY = 256

type Waiter = { resolve: (result: IteratorResult<AgentEvent, undefined>) => void; reject: (error: unknown) => void }

/**
 * Events on their way to one reader, who may come late or be slow: the run never waits for it. Nothing is dropped. When many are unread,
 * pieces of text are joined, so what is kept is never much more than what the run adds to its conversation.
 */
export class EventQueue {
  readonly #unread: AgentEvent[] = []
  readonly #waiters: Waiter[] = []
  #end: { error: unknown } | undefined

  /** Adds an event, or hands it to whoever waits for it. */
  push(event: AgentEvent): void {
    if (this.#end) return
    const waiter = this.#waiters.shift()
    if (waiter) return waiter.resolve({ done: false, value: event })
    const joined = this.#unread.length < MANY ? undefined : join(this.#unread.at(-1), event)
    if (joined) this.#unread[this.#unread.length - 1] = joined
    else this.#unread.push(event)
  }

  /** Nothing more comes. With an error, reading throws it once, after the last event. */
  end(error?: unknown): void {
    if (this.#end) return
    this.#end = { error }
    if (this.#waiters.length > 0) void this.#last().then(this.#waiters[0]!.resolve, this.#waiters[0]!.reject)
    for (const { resolve } of this.#waiters.splice(0).slice(1)) resolve({ done: true, value: undefined })
  }

  /** Forgets what is unread. */
  clear(): void {
    this.#unread.length = 0
  }

  /** The next event, as soon as there is one. */
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

/** Two pieces of one text as one. */
function join(before: AgentEvent | undefined, after: AgentEvent): AgentEvent | undefined {
  if (before?.type !== 'model_part' || after.type !== 'model_part') return undefined
  const [one, two] = [before.part, after.part]
  if (!('text' in one) || !('text' in two) || one.type !== two.type) return undefined
  if (before.turn !== after.turn || before.path.join('\0') !== after.path.join('\0')) return undefined
  return { ...after, part: { type: one.type, text: one.text + two.text } }
}
