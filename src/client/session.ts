import type { HilReply } from '../protocol/hil/hil.ts'
import type { ClientError } from './client-error.ts'
import type { SessionState, Shared } from './feed/read-feed.ts'
import { type MessagesOptions, readSession } from './feed/read-messages.ts'
import { Listeners } from './listeners.ts'
import { type ClientInterrupt, type ClientMessage, isForPeople, retractedBy } from './message.ts'
import type { RespondOptions, RespondOutcome } from './respond.ts'

/** What changed in a session. */
export type SessionChange =
  | { type: 'state'; state: SessionState }
  | { type: 'message'; message: ClientMessage }
  /** A question is no longer open: it was answered or retracted. */
  | { type: 'settled'; messageId: string }

/**
 * A stream as a user interface needs it: open questions, the state of the connection, and a subscription to changes. It reads until `close`.
 */
export class Session {
  readonly id: string
  readonly #respond: (messageId: string, reply: HilReply, options: RespondOptions) => Promise<RespondOutcome>
  readonly #listeners = new Listeners<SessionChange>()
  readonly #closing = new AbortController()
  #pending: readonly ClientInterrupt[] = []
  /** Questions that were shown or settled. Open questions come before the log, which repeats them. */
  readonly #seen = new Set<string>()
  #state: SessionState = 'connecting'
  #lastId: string
  #error: unknown
  /** Settles when reading has ended, whatever the reason; `state` and `error` tell which. */
  readonly ended: Promise<void>

  /** Made by `client.session`. */
  constructor(
    shared: Shared,
    id: string,
    options: MessagesOptions & {
      respond: (messageId: string, reply: HilReply, options: RespondOptions) => Promise<RespondOutcome>
    },
  ) {
    this.id = id
    this.#respond = options.respond
    this.#lastId = options.after ?? '0'
    this.ended = this.#read(shared, options)
  }

  /** The open questions, oldest first, in a new array whenever they change. Progress questions of remote tools are left out. */
  get pending(): readonly ClientInterrupt[] {
    return this.#pending
  }

  get state(): SessionState {
    return this.#state
  }

  /** The position of the last message. */
  get lastId(): string {
    return this.#lastId
  }

  /** Why reading was refused, or what is wrong while it is tried again: a `ClientError`. */
  get error(): unknown {
    return this.#error
  }

  /** Calls the listener for each change. Returns how to unsubscribe. Errors of listeners are ignored. */
  subscribe(listener: (change: SessionChange) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Answers a question, which is then no longer pending, even if another answer was first. A refused reply leaves it pending. */
  async respond(messageId: string, reply: HilReply, options: RespondOptions = {}): Promise<RespondOutcome> {
    const outcome = await this.#respond(messageId, reply, options)
    this.#settle(messageId)
    return outcome
  }

  /** Stops reading. Questions stay open at the gateway. */
  close(): void {
    this.#closing.abort()
  }

  async #read(shared: Shared, { after = '0', signal }: MessagesOptions): Promise<void> {
    // Lets the caller subscribe before the first change.
    await undefined
    const ends = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
    let last = 'connecting' as SessionState
    // The end is reported last.
    const onState = (state: SessionState, problem?: ClientError): void => {
      last = state
      this.#error = problem
      if (state !== 'gone' && state !== 'closed') this.#become(state)
    }
    try {
      for await (const item of readSession(shared, this.id, { after, signal: ends, onState })) {
        if (item.kind === 'open') this.#compare(item.open)
        else this.#take(item)
      }
    } catch (error) {
      this.#error = error
    }
    if (last === 'gone') this.#pending = []
    this.#become(last)
  }

  /** Compares with what is open now: settles what is not, and shows what is new. */
  #compare(open: readonly ClientInterrupt[]): void {
    const ids = new Set(open.map(({ id }) => id))
    for (const { id } of this.#pending) if (!ids.has(id)) this.#settle(id)
    for (const question of open) this.#show(question)
  }

  #show(message: ClientInterrupt): void {
    if (this.#seen.has(message.id)) return
    this.#seen.add(message.id)
    if (isForPeople(message)) this.#pending = [...this.#pending, message]
    this.#tell({ type: 'message', message })
  }

  #take(message: ClientMessage): void {
    this.#lastId = message.position
    if (message.kind === 'interrupt') return this.#show(message)
    this.#tell({ type: 'message', message })
    const retracted = retractedBy(message)
    if (retracted !== undefined) this.#settle(retracted)
  }

  #settle(messageId: string): void {
    this.#seen.add(messageId)
    const open = this.#pending.filter(({ id }) => id !== messageId)
    if (open.length === this.#pending.length) return
    this.#pending = open
    this.#tell({ type: 'settled', messageId })
  }

  #become(state: SessionState): void {
    if (state === this.#state) return
    this.#state = state
    this.#tell({ type: 'state', state })
  }

  #tell(change: SessionChange): void {
    this.#listeners.tell(change)
  }
}
