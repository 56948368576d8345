import { HoldpointError } from './error-base.ts'

/** This version cannot read the journal. Nothing was changed. */
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

/** A state was loaded without its conversation, or a long thread was driven without its earlier entries. */
export class MessagesNotLoaded extends HoldpointError {
  readonly threadId: string | undefined

  constructor(threadId?: string, what: 'messages' | 'earlier entries' = 'messages') {
    const which = threadId === undefined ? 'this thread' : `thread "${threadId}"`
    super(
      'messages_not_loaded',
      `The ${what} of ${which} were not loaded. Load them with await state.loadMessages(), or with RunState.load(agent, { …, messages: true }).`,
    )
    this.threadId = threadId
  }
}

/**
 * A session could not be read or written. The run's work is kept: resuming it with the session writes the missing
 * messages.
 */
export class SessionFailed extends HoldpointError {
  readonly sessionId: string

  constructor(sessionId: string, problem: string, cause?: unknown) {
    super('session_failed', `Session "${sessionId}" could not be read or written: ${problem}.`, { cause })
    this.sessionId = sessionId
  }
}

/** A serialised state and the store have diverged. */
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

/** A string is not a serialised state, or has an unsupported version. */
export class StateInvalid extends HoldpointError {
  constructor(problem: string, cause?: unknown) {
    super('state_invalid', `This string is not a usable run state: ${problem}.`, { cause })
  }
}

/** A serialised state is unsigned, signed with an unknown key, or was changed. */
export class StateSignatureInvalid extends HoldpointError {
  constructor(problem: string) {
    super('state_signature_invalid', `The state was refused: ${problem}.`)
  }
}

/** Another process or run drives this thread now. Nothing was stored. */
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

/** The content of a thread was erased. Nothing can be read from it or written to it any more. */
export class ThreadErased extends HoldpointError {
  readonly threadId: string

  constructor(threadId: string) {
    super(
      'thread_erased',
      `Thread ${JSON.stringify(threadId)} was erased: its content is gone, and nothing can be added to it. Who erased it and why is in the thread ~erasures.`,
    )
    this.threadId = threadId
  }
}

/** Whether a store says that a thread was erased. The store may come from another copy of the package. */
export function isThreadErased(error: unknown): error is ThreadErased {
  return HoldpointError.isInstance(error) && error.code === 'thread_erased'
}

/** A thread cannot be erased: its run is not over, or requests are open. Nothing was erased. */
export class ThreadOpen extends HoldpointError {
  readonly threadId: string
  /** How many of its requests are open. */
  readonly requests: number

  constructor(threadId: string, requests: number) {
    const why =
      requests === 0 ? 'its run is not over' : `${requests} of its requests ${requests === 1 ? 'is' : 'are'} open`
    super(
      'thread_open',
      `Thread ${JSON.stringify(threadId)} was not erased: ${why}. Wait until it is over, or abort it and erase it (abort: true, --abort).`,
    )
    this.threadId = threadId
    this.requests = requests
  }
}

/** A thread id contains invalid characters. */
export class ThreadIdInvalid extends HoldpointError {
  constructor(value: string) {
    super(
      'thread_id_invalid',
      `${JSON.stringify(value.slice(0, 80))} is not a thread id: 1 to 200 of A-Z a-z 0-9 . _ : @ / + = ~ -, not ~erasures, and not beginning with ~notes/`,
    )
  }
}

/** A tenant id is invalid. */
export class TenantIdInvalid extends HoldpointError {
  constructor(value: unknown) {
    const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a value of type ${typeof value}`
    super(
      'tenant_id_invalid',
      `${shown} is not a tenant id: a string of 1 to 200 characters, without U+0000 and lone surrogates.`,
    )
  }
}

/** The store has no such thread. */
export class ThreadNotFound extends HoldpointError {
  readonly threadId: string

  constructor(threadId: string) {
    super('thread_not_found', `There is no thread "${threadId}" in this store.`)
    this.threadId = threadId
  }
}

/** A thread with open requests got new input. Nothing was stored. */
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

/** The thread object was closed. The conversation is unchanged: another object can continue it. */
export class ThreadClosed extends HoldpointError {
  readonly threadId: string

  constructor(threadId: string) {
    super('thread_closed', `This object of thread "${threadId}" was closed. Make another with agent.thread().`)
    this.threadId = threadId
  }
}

/**
 * Code that the thread waits for, such as a tool body or a hook, called the thread and would have waited for it: a
 * deadlock. Nothing was done, unless `answerStored`: `respond()` of another object of the same thread stored its answer
 * before the deadlock was detected.
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
      `${what}() was called by a tool body, hook, policy or model that thread "${threadId}" itself waits for: a deadlock. ${advice}`,
    )
    this.threadId = threadId
    this.answerStored = answerStored
  }
}
