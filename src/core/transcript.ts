import { MessagesNotLoaded } from '../protocol/errors/errors.ts'
import type { Message } from '../protocol/message.ts'

/**
 * A conversation that only grows. Its beginning may be absent: then its length and its last messages are known, and reading what is absent throws
 * `MessagesNotLoaded`. The last message is always loaded.
 */
export class Transcript implements Iterable<Message> {
  /** How many messages at its beginning are not loaded. */
  absent: number
  /** Those after them. */
  loaded: Message[]

  constructor(loaded: readonly Message[] = [], absent = 0) {
    this.loaded = [...loaded]
    this.absent = absent
  }

  get length(): number {
    return this.absent + this.loaded.length
  }

  get isWhole(): boolean {
    return this.absent === 0
  }

  /** All messages. */
  get all(): readonly Message[] {
    this.#need(0)
    return this.loaded
  }

  push(...messages: readonly Message[]): void {
    this.loaded.push(...messages)
  }

  /** The message at an index; a negative one counts from the end. */
  at(index: number): Message | undefined {
    const place = index < 0 ? this.length + index : index
    if (place < 0) return undefined
    this.#need(place)
    return this.loaded[place - this.absent]
  }

  /** The messages from one index up to another. */
  slice(from: number, to = this.length): Message[] {
    if (from >= to) return []
    this.#need(from)
    return this.loaded.slice(from - this.absent, to - this.absent)
  }

  /** Adds the absent messages, from all of them or from as many as are absent. The array becomes this object's own. */
  fill(messages: Message[]): void {
    messages.length = this.absent
    for (const message of this.loaded) messages.push(message)
    this.loaded = messages
    this.absent = 0
  }

  copy(): Transcript {
    return new Transcript(this.loaded, this.absent)
  }

  [Symbol.iterator](): Iterator<Message> {
    return this.all[Symbol.iterator]()
  }

  #need(from: number): void {
    if (from < this.absent) throw new MessagesNotLoaded()
  }
}
