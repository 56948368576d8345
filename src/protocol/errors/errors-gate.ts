import { HoldpointError } from './error-base.ts'

/** A call from outside may not run: nobody has released it, or it was refused. It did not run. */
export class HoldpointNotReleased extends HoldpointError {
  readonly toolName: string
  /** The state of the call at the gate, such as `'held'` or `'refused'`. */
  readonly status: string
  /** The request that a person has to decide, if the call is held. */
  readonly requestId: string | undefined

  constructor(
    toolName: string,
    { status, requestId, message }: { status: string; requestId?: string; message: string },
  ) {
    super('not_released', message)
    this.toolName = toolName
    this.status = status
    this.requestId = requestId
  }
}

/** A call from outside ran before and failed. It was not run again. The message is what was recorded then. */
export class CallFailed extends HoldpointError {
  readonly toolName: string

  constructor(toolName: string, message: string) {
    super('call_failed', message)
    this.toolName = toolName
  }
}
