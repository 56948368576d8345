import type { HilMessage, HilReply } from '../protocol/hil.ts'

/**
 * The two-way lines between applications and people's clients in other processes. A *session* is one such line: messages go out, replies
 * come back. It has an owner, who alone may read and answer it, and an end: `close`, or its expiry if nobody extends it.
 *
 * T1  Opening, extending, closing and expiring a session each happen to all of it or to none of it.
 * T2  Messages of a session have positions that only grow; reading after one shows what was sent later and is still there, in order.
 * T3  A question is answered once: removing it and storing the reply is one step, and a second answer is refused.
 * T4  A reply is kept until whoever asked took it, or until the session ends. Two takers never both get it.
 * T5  Nothing is lost by reading: the same position shows the same messages again.
 * T6  Nothing of one tenant is visible to another.
 * T7  What waits costs no connection of its own, wakes when there is something (also from another process), when the session ends, and when
 *     its signal fires.
 */
export interface Streams {
  readonly tenantId: string

  /** Opens a session. Throws `HilStreamExists` if it is open already. */
  open(session: string, options: { owner: string; expireSeconds: number }): Promise<void>

  /** Gives a session that many seconds from now. `false`: it is gone. */
  extend(session: string, options: { expireSeconds: number }): Promise<boolean>

  /** Ends a session, waking all who wait on it. `false`: it was gone already. */
  close(session: string): Promise<boolean>

  /** Who owns a session, and when it ends unless it is extended (ms since 1970). */
  describe(session: string): Promise<{ owner: string; expiresAt: number } | undefined>

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
   * Takes an open question away and stores the reply to it. `unknown`: no such question, or it was answered or retracted. Throws
   * `HilContentError` for what is no reply.
   */
  answer(session: string, messageId: string, reply: HilReply): Promise<'answered' | 'unknown' | 'missing'>

  /** Waits up to `waitMs` for the reply to a question, and takes it. A wait survives the loss of its connection. */
  takeReply(session: string, messageId: string, options: WaitForReply): Promise<ReplyRead>

  /**
   * Takes away an open question that nobody waits for any more. `false`: it was not open. Then there may be a reply to it, which stays: who
   * gives up retracts first and takes what came before that, so that no reply is lost.
   */
  retract(session: string, messageId: string): Promise<boolean>

  /** The same streams, bound to a tenant. */
  tenant(id: string): Streams

  /** Whether the backend answers. Throws if it does not. */
  ping(): Promise<void>

  /** Wakes all who wait (they get `empty`), then lets go of connections: later calls throw `StreamsClosed`. A second call does nothing. */
  shutdown(): Promise<void>
}

/** How messages are read. */
export interface ReadOptions {
  after: string
  /** Default 1. */
  limit?: number
  waitMs?: number
  signal?: AbortSignal
}

/** How long a reply is waited for. */
export interface WaitForReply {
  waitMs: number
  signal?: AbortSignal
}

/** What reading gave. `empty`: nothing came in time, the signal fired, or the backend shut down. */
export type StreamRead =
  /** With who owned the session in the moment in which it was read: it may have been closed, and opened again for somebody else. */
  | { kind: 'messages'; owner: string; messages: StreamMessage[] }
  | { kind: 'empty' }
  /** The session was never opened, was closed, or expired. */
  | { kind: 'missing' }

/** A message with its place. One that cannot be decoded is told as such, so that readers can go past it. */
export type StreamMessage = { position: string; message: HilMessage } | { position: string; broken: string }

/** What looking for a question gave. `unknown`: there is no such question, or it was answered or retracted. */
export type QuestionRead = { kind: 'question'; question: StreamMessage } | { kind: 'unknown' } | { kind: 'missing' }

/** What waiting for a reply gave. */
export type ReplyRead = { kind: 'reply'; reply: HilReply } | { kind: 'empty' } | { kind: 'missing' }
