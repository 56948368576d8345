import { HitlError } from './errors-hitl.ts'

/** A request is somebody else's: it cannot be claimed before that ends. */
export class RequestTaken extends HitlError {
  readonly requestId: string
  /** Who has it, and until when, if there is an end. */
  readonly assigned: { id: string; until?: string }

  constructor(requestId: string, assigned: { id: string; until?: string }) {
    super(
      'request_taken',
      `Request ${requestId} is taken by ${assigned.id}${assigned.until === undefined ? '' : ` until ${assigned.until}`}.`,
    )
    this.requestId = requestId
    this.assigned = assigned
  }
}

/** A record that had to be new, or at a version, is not: the same write was made before, or another one. Nothing was stored. */
export class IdempotencyConflict extends HitlError {
  readonly recordId: string

  constructor(recordId: string) {
    super(
      'idempotency_conflict',
      `The record ${recordId} exists already or has changed, and nothing was stored. Read it.`,
    )
    this.recordId = recordId
  }
}
