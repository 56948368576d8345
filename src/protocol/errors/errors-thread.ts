import { HoldpointError } from './error-base.ts'

/** A journal that this version cannot read. Nothing was changed. */
export class JournalInvalid extends HoldpointError {
  readonly threadId: string
  readonly seq: number

  constructor(at: { threadId: string; seq: number; problem: string; cause?: unknown }) {
    super('journal_invalid', `Entry ${at.seq} of thread "${at.threadId}" cannot be read: ${at.problem}.`, {
      cause: at.cause,
    })
    this.threadId = at.threadId
    this.seq = at.seq
  }
}

/** A session could not be read or written. What the run did is kept: resuming it with the session writes what is missing. */
export class SessionFailed extends HoldpointError {
  readonly sessionId: string

  constructor(sessionId: string, problem: string, cause?: unknown) {
    super('session_failed', `Session "${sessionId}" could not be read or written: ${problem}.`, { cause })
    this.sessionId = sessionId
  }
}

/** A state text and the store tell different stories. */
export class StateDiverged extends HoldpointError {
  readonly threadId: string

  constructor(threadId: string, problem: string) {
    super(
      'state_diverged',
      `This state of thread "${threadId}" and its store have diverged: ${problem}. Load it from the store instead (RunState.load).`,
    )
    this.threadId = threadId
  }
}

/** A text that is not a state, or one of another version. */
export class StateInvalid extends HoldpointError {
  constructor(problem: string, cause?: unknown) {
    super('state_invalid', `This text is not a usable run state: ${problem}.`, { cause })
  }
}

/** A state text that is unsigned, signed by an unknown key, or was changed. */
export class StateSignatureInvalid extends HoldpointError {
  constructor(problem: string) {
    super('state_signature_invalid', `The state was refused: ${problem}.`)
  }
}

/** Another activation drives this thread now. Nothing was stored. */
export class ThreadBusy extends HoldpointError {
  readonly threadId: string
  readonly holder: string

  constructor(threadId: string, holder: string) {
    super(
      'thread_busy',
      `Thread "${threadId}" is being driven by ${holder}. Nothing was stored; wait for it, or try again later.`,
    )
    this.threadId = threadId
    this.holder = holder
  }
}

/** A thread id with characters that are not allowed. */
export class ThreadIdInvalid extends HoldpointError {
  constructor(value: string) {
    super(
      'thread_id_invalid',
      `${JSON.stringify(value.slice(0, 80))} is not a thread id: 1 to 200 of A-Z a-z 0-9 . _ : @ / + = ~ -`,
    )
  }
}

/** A tenant id that cannot name anybody. */
export class TenantIdInvalid extends HoldpointError {
  constructor(value: unknown) {
    const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a value of type ${typeof value}`
    super(
      'tenant_id_invalid',
      `${shown} is not a tenant id: a string of 1 to 200 characters, without U+0000 and lone surrogates.`,
    )
  }
}

/** No such thread in the store. */
export class ThreadNotFound extends HoldpointError {
  readonly threadId: string

  constructor(threadId: string) {
    super('thread_not_found', `There is no thread "${threadId}" in this store.`)
    this.threadId = threadId
  }
}

/** New input for a thread with open requests. Nothing was stored. */
export class ThreadPaused extends HoldpointError {
  readonly threadId: string
  readonly requestIds: readonly string[]

  constructor(threadId: string, requestIds: readonly string[]) {
    super(
      'thread_paused',
      `Thread "${threadId}" waits for ${requestIds.length} decision(s): ${requestIds.join(', ')}. Decide them, or pass whilePaused: 'queue' or 'supersede'.`,
    )
    this.threadId = threadId
    this.requestIds = requestIds
  }
}

/** The thread object was closed. The conversation is where it was: another object goes on with it. */
export class ThreadClosed extends HoldpointError {
  readonly threadId: string

  constructor(threadId: string) {
    super('thread_closed', `This object of thread "${threadId}" was closed. Make another with agent.thread().`)
    this.threadId = threadId
  }
}

/**
 * Code that the thread waits for, such as a tool body or a hook, would have waited for the thread: neither would ever end. Nothing was done, unless
 * `answerStored`: `respond()` of another object of the same thread stored its answer before it found out that it would wait.
 */
export class ThreadReentered extends HoldpointError {
  readonly threadId: string
  readonly answerStored: boolean

  constructor(threadId: string, what: 'prompt' | 'resume' | 'respond', { answerStored = false } = {}) {
    const advice = answerStored
      ? 'The answer is stored, and the thread acts on it after that code has ended: do not answer again.'
      : 'Nothing was done. Call it after that code has ended, or from a listener; channel.answer() answers a question from anywhere.'
    super(
      'thread_reentered',
      `${what}() was called by a tool body, hook, policy or model that thread "${threadId}" itself waits for. Neither would ever end. ${advice}`,
    )
    this.threadId = threadId
    this.answerStored = answerStored
  }
}
