import type { HilMessage, HilReply } from '../protocol/hil/hil.ts'

/**
 * Two-way message streams between applications and people's clients in other processes. A *session* is one such stream:
 * messages go out, replies come back. It has an owner, who may read and answer, and it ends by `close` or by expiry if
 * it is not extended.
 *
 * T1  Opening, extending, closing and expiring are atomic for the whole session.
 * T2  Positions of a session's messages only grow. Reading after one returns later messages that still exist, in order.
 * T3  A question is answered once. Removing it, storing the reply and notifying the other readers is one step; a second
 *     answer is refused.
 * T4  A reply is kept until its asker takes it, or until the session ends. It is never taken twice.
 * T5  Reading removes nothing: the same position returns the same messages again.
 * T6  Nothing of one tenant is visible to another.
 * T7  A wait needs no connection of its own. It wakes when there is something to return (also from another process),
 *     when the session ends, and when its signal fires.
 * T8  The number of kept notifications is limited: the oldest are dropped first. Questions are never dropped. A reader
 *     a reader that missed dropped ones learns of the gap.
 * T9  A session has one holder at a time. Taking it over keeps its content, and the previous holder can no longer
 *     extend or close it.
 * T10 A person's sessions are those they own, and those in which an open question names them as a reviewer.
 */
export interface Streams {
  readonly tenantId: string

  /**
   * Opens a session and resolves to a name for its holder. Throws `HilStreamExists` if it is already open. With
   * `takeOver`, it throws only if another owner has it open; otherwise the session continues with its content, and the
   * caller becomes its holder.
   */
  open(session: string, options: { owner: string; expireSeconds: number; takeOver?: boolean }): Promise<string>

  /**
   * Lets a session expire this many seconds from now. `false`: it is gone or, if `holder` is given, another holder has
   * it.
   */
  extend(session: string, options: { expireSeconds: number; holder?: string }): Promise<boolean>

  /**
   * Ends a session and wakes all waiters. `false`: it was already gone or, if `holder` is given, another holder has it.
   */
  close(session: string, options?: { holder?: string }): Promise<boolean>

  /**
   * The owner of a session, and its expiry (ms since 1970). `named`: an open question names `reader`, or one of
   * `names`, as a reviewer. `last`: the position of the last message, if requested. `question`: the open question of
   * this id, if the session has this owner. Of the session of another owner nothing is read.
   */
  describe(session: string, options?: DescribeOptions): Promise<SessionFacts | undefined>

  /**
   * The sessions that a person owns, or has an open question in as a reviewer (under their id or one of `names`, such
   * as `group:finance`); newest first, at most 1000. With
   * `waitMs` it waits while these are exactly the `known` ones. Read a session to learn that it is gone.
   */
  sessions(reader: string, options?: SessionsOptions): Promise<ReaderSession[]>

  /**
   * Appends a message and returns its position. A message whose id is already there is not added again. Throws
   * `HilMsgStreamMissingError` if the session is gone, `HilContentError` for an invalid message or the id of a settled
   * question.
   */
  send(session: string, message: HilMessage): Promise<string>

  /**
   * Messages after a position (`'0'` is the beginning), at most `limit`. Waits up to `waitMs` (default 0) for the
   * first. Throws `InputInvalid` for an invalid position. A wait survives the loss of its connection.
   */
  read(session: string, options: ReadOptions): Promise<StreamRead>

  /** The open questions, in order. */
  pending(session: string): Promise<StreamRead>

  /** Finds an open question by its id. The cost does not grow with the number of messages in the session. */
  question(session: string, messageId: string): Promise<QuestionRead>

  /**
   * Removes an open question, stores its reply, and appends `notice` for the other readers. `unknown`: there is no such
   * question, or it was answered or retracted. Throws `HilContentError` for an invalid reply.
   */
  answer(session: string, messageId: string, reply: HilReply, options?: AnswerOptions): Promise<AnswerOutcome>

  /**
   * `describe`, `question` and `answer` in one step, for the owner of a session: the notice says that the question was answered, and is written from the
   * question (`retraction` in `protocol/hil/hil-message.ts`). `look`: nothing was done, because the session is not theirs, the question is not open, or
   * more must be known of it (reviewers, a schema of the reply, much content). Optional: it only saves round trips. Whoever wraps streams to see or change
   * what `answer` is given leaves it out, or wraps it too: owners' answers come this way.
   */
  answerOwn?(session: string, messageId: string, given: OwnAnswer): Promise<OwnAnswerOutcome>

  /** Waits up to `waitMs` for the reply to a question, and takes it. A wait survives the loss of its connection. */
  takeReply(session: string, messageId: string, options: WaitForReply): Promise<ReplyRead>

  /**
   * Removes an open question that nobody waits for any more, and appends `notice`. `false`: it was not open, and
   * nothing was appended. It may then have a reply, which stays: an asker that gives up retracts first and then takes
   * an earlier reply, so that none is lost.
   */
  retract(session: string, messageId: string, options?: { notice?: HilMessage }): Promise<boolean>

  /** The same streams, bound to a tenant. */
  tenant(id: string): Streams

  /** Throws if the backend does not respond. */
  ping(): Promise<void>

  /**
   * Wakes all waiters (they get `empty`), then releases connections. Later calls throw `StreamsClosed`. A second call
   * does nothing.
   */
  shutdown(): Promise<void>
}

/** What is to be known about a session. */
interface DescribeOptions {
  reader?: string
  names?: readonly string[]
  last?: boolean
  /** Also looks up an open question, for this owner only. */
  question?: { id: string; owner: string }
}

/** Facts about a session that are known without reading it; and a question, if its owner asked for it. */
export interface SessionFacts {
  owner: string
  expiresAt: number
  named?: true
  last?: string
  question?: StreamMessage
}

/** Options of a wait for sessions. */
export interface SessionsOptions {
  /** Further names of the person, which questions may name as reviewers. They own nothing. */
  names?: readonly string[]
  known?: readonly string[]
  waitMs?: number
  signal?: AbortSignal
}

/** A session that a person may read from. */
export interface ReaderSession {
  session: string
  owner: string
}

/** Options of an answer. */
interface AnswerOptions {
  notice?: HilMessage
  /** The answerer. Default: the owner of the session. */
  by?: string
  /** The groups of the answerer. */
  groups?: readonly string[]
  /** Reports `unheard` if nobody waits for the reply at this moment. */
  listeners?: boolean
}

/** An answer by the owner of a session. */
interface OwnAnswer {
  reply: HilReply
  owner: string
  /** The groups of the owner. */
  groups?: readonly string[]
}

/** The outcome of an answer by the owner. `look`: nothing was done. `unheard`: as of any answer. */
type OwnAnswerOutcome = 'answered' | 'unheard' | 'look'

/** The outcome of an answer. `unheard`: it is stored like any other, but nobody waits for it right now. */
type AnswerOutcome = 'answered' | 'unheard' | 'unknown' | 'missing'

/** Options of a read. */
export interface ReadOptions {
  after: string
  /** Reads only if the session has this owner. Otherwise it is `missing`, and nothing of it is read. */
  owner?: string
  /** Default 1. */
  limit?: number
  waitMs?: number
  signal?: AbortSignal
}

/** Options of a wait for a reply. */
export interface WaitForReply {
  waitMs: number
  signal?: AbortSignal
  /** Also ends, with `unknown`, if the question was retracted: it is neither open nor answered. */
  orRetracted?: boolean
}

/** The result of a read. `empty`: nothing arrived in time, the signal fired, or the backend shut down. */
export type StreamRead =
  /** With the owner at the moment of the read. The session may have been closed and reopened for another owner. */
  | {
      kind: 'messages'
      owner: string
      messages: StreamMessage[]
      /** Notifications after the requested position have been dropped. */
      gap?: true
    }
  | { kind: 'empty' }
  /** The session was never opened, was closed, or expired. */
  | { kind: 'missing' }

/** A message with its position. `broken`: it cannot be decoded, and readers can skip it. */
export type StreamMessage = { position: string; message: HilMessage } | { position: string; broken: string }

/** The result of looking up a question. `unknown`: there is no such question, or it was answered or retracted. */
export type QuestionRead = { kind: 'question'; question: StreamMessage } | { kind: 'unknown' } | { kind: 'missing' }

/** The result of waiting for a reply. */
export type ReplyRead =
  /** `by` and `groups`: the answerer and their groups, if given. */
  | { kind: 'reply'; reply: HilReply; by?: string; groups?: string[] }
  | { kind: 'empty' }
  | { kind: 'missing' }
  | { kind: 'unknown' }
