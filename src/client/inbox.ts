import type { HilReply } from '../protocol/hil/hil.ts'
import type { ClientError } from './client-error.ts'
import { readFeed, type SessionState, type Shared } from './feed/read-feed.ts'
import { type InboxInterrupt, type InboxMessage, type InboxNews, inboxEvents, inboxPolls } from './feed/read-inbox.ts'
import { Listeners } from './listeners.ts'
import { isForPeople, retractedBy } from './message.ts'
import type { RespondOptions, RespondOutcome } from './respond.ts'

/** What changed in an inbox. */
export type InboxChange =
  | { type: 'state'; state: SessionState }
  | { type: 'sessions'; sessions: readonly string[] }
  | { type: 'message'; message: InboxMessage }
  /** A question is no longer open: it was answered or retracted, or its session is gone. */
  | { type: 'settled'; session: string; messageId: string }

type Respond = (session: string, messageId: string, reply: HilReply, options: RespondOptions) => Promise<RespondOutcome>

/**
 * All sessions of a person over one connection: their own, and those in which a question names them as a reviewer. Sessions may come and go. Open
 * questions are shown at once; of notifications, only new ones.
 */
export class Inbox {
  readonly #respond: Respond
  readonly #listeners = new Listeners<InboxChange>()
  readonly #closing = new AbortController()
  #pending: readonly InboxInterrupt[] = []
  #sessions: readonly string[] = []
  #state: SessionState = 'connecting'
  #error: unknown
  /** Settles when reading has ended, whatever the reason; `state` and `error` tell which. */
  readonly ended: Promise<void>

  /** Made by `client.inbox`. */
  constructor(shared: Shared, { respond, signal }: { respond: Respond; signal?: AbortSignal | undefined }) {
    this.#respond = respond
    this.ended = this.#read(shared, signal)
  }

  /** The open questions of all sessions, oldest first within each, in a new array whenever they change. */
  get pending(): readonly InboxInterrupt[] {
    return this.#pending
  }

  /** The sessions that there are now. */
  get sessions(): readonly string[] {
    return this.#sessions
  }

  get state(): SessionState {
    return this.#state
  }

  /** Why reading was refused, or what is wrong while it is tried again: a `ClientError`. */
  get error(): unknown {
    return this.#error
  }

  /** Calls the listener for each change. Returns how to unsubscribe. Errors of listeners are ignored. */
  subscribe(listener: (change: InboxChange) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Answers a question, which is then no longer pending, even if another answer was first. A refused reply leaves it pending. */
  async respond(
    { session, id }: Pick<InboxInterrupt, 'session' | 'id'>,
    reply: HilReply,
    options: RespondOptions = {},
  ): Promise<RespondOutcome> {
    const outcome = await this.#respond(session, id, reply, options)
    this.#keep((each) => each.session !== session || each.id !== id)
    return outcome
  }

  /** Stops reading. Questions stay open at the gateway. */
  close(): void {
    this.#closing.abort()
  }

  async #read(shared: Shared, signal: AbortSignal | undefined): Promise<void> {
    // Lets the caller subscribe before the first change.
    await undefined
    const ends = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
    const onState = (state: SessionState, problem?: ClientError): void => {
      this.#error = problem
      if (state !== 'closed') this.#become(state)
    }
    const reader = {
      sse: inboxEvents,
      poll: inboxPolls,
      positionOf: (news: InboxNews) => news.position,
      after: '',
      signal: ends,
      onState,
    }
    try {
      for await (const news of readFeed(shared, reader)) this.#take(news)
    } catch (error) {
      this.#error = error
    }
    this.#become('closed')
  }

  #take({ sessions, complete, open, messages }: InboxNews): void {
    if (sessions) {
      this.#sessions = sessions
      const ids = new Set(open.map(({ id }) => id))
      this.#keep(({ session, id }) => sessions.includes(session) && (!complete.includes(session) || ids.has(id)))
      this.#listeners.tell({ type: 'sessions', sessions })
    }
    for (const message of [...open, ...messages]) this.#add(message)
  }

  #add(message: InboxMessage): void {
    // Its session may have gone after it was read.
    if (message.kind === 'interrupt' && !this.#sessions.includes(message.session)) return
    const isNew = !this.#pending.some(({ id }) => id === message.id)
    if (isForPeople(message) && isNew) this.#pending = [...this.#pending, message as InboxInterrupt]
    if (message.kind === 'notification' || isNew) this.#listeners.tell({ type: 'message', message })
    const retracted = retractedBy(message)
    if (retracted !== undefined) this.#keep(({ session, id }) => session !== message.session || id !== retracted)
  }

  #keep(stays: (question: InboxInterrupt) => boolean): void {
    const gone = this.#pending.filter((each) => !stays(each))
    if (gone.length === 0) return
    this.#pending = this.#pending.filter(stays)
    for (const { session, id } of gone) this.#listeners.tell({ type: 'settled', session, messageId: id })
  }

  #become(state: SessionState): void {
    if (state === this.#state) return
    this.#state = state
    this.#listeners.tell({ type: 'state', state })
  }
}
