import { HoldpointError, messageOf } from './error-base.ts'

/** The engine of a queue is unreachable or returned an error, or the queue was closed. A retry may help. */
export class QueueFailed extends HoldpointError {
  constructor(what: string, cause?: unknown) {
    super('queue_failed', cause === undefined ? what : `${what}: ${messageOf(cause)}`, { cause })
  }
}
