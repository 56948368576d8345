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
  /** The one that is loaded is there only because it is the last. */
  #isTail: boolean

  constructor(loaded: readonly Message[] = [], absent = 0) {
    this.loaded = [...loaded]
    this.absent = absent
    this.#isTail = false
  }

  /** A conversation of which only the last message is loaded, until another one follows. */
  static endingWith(last: Message, length: number): Transcript {
    const transcript = new Transcript([last], length - 1)
    transcript.#isTail = true
    return transcript
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
    if (messages.length === 0) return
    if (this.isWhole) this.loaded.push(...messages)
    else this.#extend(messages)
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
    this.#isTail = false
  }

  copy(): Transcript {
    const copy = new Transcript(this.loaded, this.absent)
    copy.#isTail = this.#isTail
    return copy
  }

  [Symbol.iterator](): Iterator<Message> {
    return this.all[Symbol.iterator]()
  }

  /** Copies, since an array that grows has room for seventeen. Few are loaded here. */
  #extend(messages: readonly Message[]): void {
    if (this.#isTail) this.absent += 1
    this.loaded = this.#isTail ? [...messages] : [...this.loaded, ...messages]
    this.#isTail = false
  }

  #need(from: number): void {
    if (from < this.absent) throw new MessagesNotLoaded()
  }
}
