import type { HilReply } from '../hil/hil.ts'
import { HoldpointError } from './error-base.ts'

/** The session does not exist, was closed, or expired. */
export class HilMsgStreamMissingError extends HoldpointError {
  readonly stream: string

  constructor(stream: string) {
    super('hil_stream_missing', `There is no message stream "${stream}": it was never opened, was closed, or expired.`)
    this.stream = stream
  }
}

/** A session with this id is already open. */
export class HilStreamExists extends HoldpointError {
  readonly stream: string

  constructor(stream: string) {
    super('hil_stream_exists', `Message stream "${stream}" is open already; use another id or close it first.`)
    this.stream = stream
  }
}

/** Another process of the same owner took the session over. This one no longer keeps it open. */
export class HilStreamTakenOver extends HoldpointError {
  readonly stream: string

  constructor(stream: string) {
    super('hil_stream_taken_over', `Message stream "${stream}" was taken over by another process of its owner.`)
    this.stream = stream
  }
}

/**
 * Why nobody waits for an answer any more. `retracted`: another process removed the question, for example when it took
 * over the session.
 */
export type InterruptEnd = 'timeout' | 'signal' | 'retracted'

const ENDS: Record<InterruptEnd, string> = {
  timeout: 'Nobody answered in time',
  signal: 'Waiting for an answer was cancelled',
  retracted: 'The question was retracted by another process',
}

/** The wait for an answer timed out or was cancelled, or the question was retracted. */
export class HilInterruptCancelled extends HoldpointError {
  readonly stream: string
  readonly messageId: string
  readonly reason: InterruptEnd

  constructor(question: { stream: string; messageId: string }, reason: InterruptEnd, cause?: unknown) {
    const { stream, messageId } = question
    super('hil_interrupt_cancelled', `${ENDS[reason]} (message ${messageId} on stream "${stream}").`, { cause })
    this.stream = stream
    this.messageId = messageId
    this.reason = reason
  }
}

/** An answer does not match the asker's schema. It was taken from the stream and is kept in this error. */
export class HilReplyInvalid extends HoldpointError {
  readonly stream: string
  readonly messageId: string
  readonly reply: HilReply
  readonly problems: readonly string[]

  constructor(question: { stream: string; messageId: string }, reply: HilReply, problems: readonly string[]) {
    super(
      'hil_reply_invalid',
      `The answer to message ${question.messageId} on stream "${question.stream}" does not fit: ${problems.join('; ')}`,
    )
    this.stream = question.stream
    this.messageId = question.messageId
    this.reply = reply
    this.problems = problems
  }
}

/** The content is invalid. Nothing was sent. */
export class HilContentError extends HoldpointError {
  constructor(problem: string) {
    super('hil_content_invalid', `The content cannot be sent: ${problem}`)
  }
}

/** The backend of the message streams is unreachable or returned an error. A retry may help. */
export class StreamsFailed extends HoldpointError {
  constructor(what: string, cause: unknown) {
    super('streams_failed', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The message streams were shut down. */
export class StreamsClosed extends HoldpointError {
  constructor() {
    super('streams_closed', 'These message streams were shut down; create new ones.')
  }
}

/** A remote tool failed at its client, or its client did not respond. The model reads the message. */
export class RemoteToolFailed extends HoldpointError {
  readonly toolName: string

  constructor(toolName: string, problem: string) {
    super('remote_tool_failed', problem)
    this.toolName = toolName
  }
}
