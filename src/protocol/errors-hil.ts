import { HoldpointError } from './error-base.ts'
import type { HilReply } from './hil.ts'

/** The session does not exist, was closed, or expired. */
export class HilMsgStreamMissingError extends HoldpointError {
  readonly stream: string

  constructor(stream: string) {
    super('hil_stream_missing', `There is no message stream "${stream}": it was never opened, was closed, or expired.`)
    this.stream = stream
  }
}

/** A session of that id is open already. */
export class HilStreamExists extends HoldpointError {
  readonly stream: string

  constructor(stream: string) {
    super('hil_stream_exists', `Message stream "${stream}" is open already; use another id or close it first.`)
    this.stream = stream
  }
}

/** Nobody answered in the time that was given, or the asker gave up. */
export class HilInterruptCancelled extends HoldpointError {
  readonly stream: string
  readonly messageId: string
  readonly reason: 'timeout' | 'signal'

  constructor(question: { stream: string; messageId: string }, reason: 'timeout' | 'signal', cause?: unknown) {
    const { stream, messageId } = question
    super(
      'hil_interrupt_cancelled',
      reason === 'timeout'
        ? `Nobody answered message ${messageId} on stream "${stream}" in time.`
        : `Waiting for an answer to message ${messageId} on stream "${stream}" was cancelled.`,
      { cause },
    )
    this.stream = stream
    this.messageId = messageId
    this.reason = reason
  }
}

/** Somebody answered, and the answer does not fit the schema that the asker gave. It is taken and kept here. */
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

/** What was to be sent does not fit; nothing was sent. */
export class HilContentError extends HoldpointError {
  constructor(problem: string) {
    super('hil_content_invalid', `The content cannot be sent: ${problem}`)
  }
}

/** The backend of the message streams cannot be reached or refused to work; trying again may help. */
export class StreamsFailed extends HoldpointError {
  constructor(what: string, cause: unknown) {
    super('streams_failed', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The message streams were shut down. */
export class StreamsClosed extends HoldpointError {
  constructor() {
    super('streams_closed', 'These message streams were shut down; make new ones.')
  }
}

/** A remote tool failed at its client, or its client could not be heard. The message is what the model reads. */
export class RemoteToolFailed extends HoldpointError {
  readonly toolName: string

  constructor(toolName: string, problem: string) {
    super('remote_tool_failed', problem)
    this.toolName = toolName
  }
}
