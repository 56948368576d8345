import type { HilMessage, HilReply } from '../protocol/hil/hil.ts'

/**
 * The two-way lines between applications and people's clients in other processes. A *session* is one such line: messages go out, replies
 * come back. It has an owner, whose it is to read and answer, and an end: `close`, or its expiry if nobody extends it.
 *
 * T1  Opening, extending, closing and expiring a session each happen to all of it or to none of it.
 * T2  Messages of a session have positions that only grow; reading after one shows what was sent later and is still there, in order.
 * T3  A question is answered once: removing it, storing the reply and telling the other readers is one step, and a second answer is refused.
 * T4  A reply is kept until whoever asked took it, or until the session ends. Two takers never both get it.
 * T5  Nothing is lost by reading: the same position shows the same messages again.
 * T6  Nothing of one tenant is visible to another.
 * T7  What waits costs no connection of its own, wakes when there is something (also from another process), when the session ends, and when
 *     its signal fires.
 * T8  Only so many notifications are kept: the oldest go first. Questions are never dropped. A reader who missed dropped ones is told.
 * T9  A session has one holder at a time. Taking it over leaves what is in it, and the holder before can neither extend nor close it any more.
 * T10 Somebody's sessions are those that they own, and those in which an open question names them as a reviewer.
 */
export interface Streams {
  readonly tenantId: string

  /**
   * Opens a session, and resolves to a name for who holds it. Throws `HilStreamExists` if it is open already; with `takeOver` only if it is open
   * for another owner, else the session goes on, with everything in it, and the caller holds it from now on.
   */
  open(session: string, options: { owner: string; expireSeconds: number; takeOver?: boolean }): Promise<string>

  /** Gives a session that many seconds from now. `false`: it is gone or, if a holder is named, somebody else holds it. */
  extend(session: string, options: { expireSeconds: number; holder?: string }): Promise<boolean>

  /** Ends a session, waking all who wait on it. `false`: it was gone already or, if a holder is named, somebody else holds it. */
  close(session: string, options?: { holder?: string }): Promise<boolean>

  /**
   * Who owns a session, and when it ends unless it is extended (ms since 1970). `named`: an open question is for that reader too, as one of
   * its reviewers. `last`: the position of the last message, if that is asked for.
   */
  describe(session: string, options?: { reader?: string; last?: boolean }): Promise<SessionFacts | undefined>

  /**
   * The sessions that somebody owns or has an open question in as a reviewer, newest first, at most 1000. With `waitMs` it waits while these are exactly
   * the `known` ones; that one of them is gone is told by reading it.
   */
  sessions(reader: string, options?: SessionsOptions): Promise<ReaderSession[]>

  /**
   * Puts a message at the end and returns its position. A message that is there already, by its id, is not put again. Throws
   * `HilMsgStreamMissingError` if the session is gone, `HilContentError` for what is no message or has the id of a settled question.
   */
  send(session: string, message: HilMessage): Promise<string>

  /**
   * Messages after a position (`'0'` is the beginning), at most `limit` of them; waits for the first up to `waitMs` (default 0). Throws
   * `InputInvalid` for what is no position. A wait survives the loss of its connection.
   */
  read(session: string, options: ReadOptions): Promise<StreamRead>

  /** Questions that are open now, in order. */
  pending(session: string): Promise<StreamRead>

  /** One open question by its id, at a cost that does not grow with the messages of the session. */
  question(session: string, messageId: string): Promise<QuestionRead>

  /**
   * Takes an open question away, stores the reply to it, and puts `notice` at the end, for the other readers. `unknown`: no such question, or it
   * was answered or retracted. Throws `HilContentError` for what is no reply.
   */
  answer(session: string, messageId: string, reply: HilReply, options?: AnswerOptions): Promise<AnswerOutcome>

  /** Waits up to `waitMs` for the reply to a question, and takes it. A wait survives the loss of its connection. */
  takeReply(session: string, messageId: string, options: WaitForReply): Promise<ReplyRead>

  /**
   * Takes away an open question that nobody waits for any more, and puts `notice` at the end. `false`: it was not open, and nothing was
   * put. Then there may be a reply to it, which stays: who gives up retracts first and takes what came before that, so that no reply is lost.
   */
  retract(session: string, messageId: string, options?: { notice?: HilMessage }): Promise<boolean>

  /** The same streams, bound to a tenant. */
  tenant(id: string): Streams

  /** Whether the backend answers. Throws if it does not. */
  ping(): Promise<void>

  /** Wakes all who wait (they get `empty`), then lets go of connections: later calls throw `StreamsClosed`. A second call does nothing. */
  shutdown(): Promise<void>
}

/** A session, as far as it is known without reading it. */
export interface SessionFacts {
  owner: string
  expiresAt: number
  named?: true
  last?: string
}

/** Which sessions are waited for. */
export interface SessionsOptions {
  known?: readonly string[]
  waitMs?: number
  signal?: AbortSignal
}

/** A session that somebody may read something of. */
export interface ReaderSession {
  session: string
  owner: string
}

/** What goes with an answer. */
interface AnswerOptions {
  notice?: HilMessage
  /** Who answers. Left out: the owner of the session. */
  by?: string
  /** Asks whether anybody waits for the reply in this moment: `unheard` if not. */
  listeners?: boolean
}

/** What came of an answer. `unheard`: it is stored like any other, but nobody waits for it right now. */
type AnswerOutcome = 'answered' | 'unheard' | 'unknown' | 'missing'

/** How messages are read. */
export interface ReadOptions {
  after: string
  /** Reads only if the session has this owner; for anybody else it is `missing`, and nothing of it is looked at. */
  owner?: string
  /** Default 1. */
  limit?: number
  waitMs?: number
  signal?: AbortSignal
}

/** How long a reply is waited for. */
export interface WaitForReply {
  waitMs: number
  signal?: AbortSignal
  /** Also ends, with `unknown`, when the question is neither open nor answered: somebody retracted it. */
  orRetracted?: boolean
}

/** What reading gave. `empty`: nothing came in time, the signal fired, or the backend shut down. */
export type StreamRead =
  /** With who owned the session in the moment in which it was read: it may have been closed, and opened again for somebody else. */
  | {
      kind: 'messages'
      owner: string
      messages: StreamMessage[]
      /** Notifications that came after the position asked for have been dropped. */
      gap?: true
    }
  | { kind: 'empty' }
  /** The session was never opened, was closed, or expired. */
  | { kind: 'missing' }

/** A message with its place. One that cannot be decoded is told as such, so that readers can go past it. */
export type StreamMessage = { position: string; message: HilMessage } | { position: string; broken: string }

/** What looking for a question gave. `unknown`: there is no such question, or it was answered or retracted. */
export type QuestionRead = { kind: 'question'; question: StreamMessage } | { kind: 'unknown' } | { kind: 'missing' }

/** What waiting for a reply gave. */
export type ReplyRead =
  /** `by`: who answered, if that was told. */
  { kind: 'reply'; reply: HilReply; by?: string } | { kind: 'empty' } | { kind: 'missing' } | { kind: 'unknown' }
