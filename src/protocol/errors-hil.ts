import { HoldpointError } from './error-base.ts'

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

  constructor(stream: string, messageId: string, reason: 'timeout' | 'signal') {
    super(
      'hil_interrupt_cancelled',
      reason === 'timeout'
        ? `Nobody answered message ${messageId} on stream "${stream}" in time.`
        : `Waiting for an answer to message ${messageId} on stream "${stream}" was cancelled.`,
    )
    this.stream = stream
    this.messageId = messageId
    this.reason = reason
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
