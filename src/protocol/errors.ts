import type { Actor, Decision } from './decision.ts'

/**
 * Every failure that holdpoint reports, in one table: `status` is the HTTP status it answers with, `retryable` says whether the
 * same call may succeed later without anything being changed.
 */
export const errorCodes = {
  agent_invalid: { status: 500, retryable: false },
  agent_mismatch: { status: 409, retryable: false },
  context_invalid: { status: 400, retryable: false },
  decision_invalid: { status: 400, retryable: false },
  decision_not_allowed: { status: 400, retryable: false },
  edit_invalid: { status: 400, retryable: false },
  input_invalid: { status: 400, retryable: false },
  journal_invalid: { status: 500, retryable: false },
  max_turns_exceeded: { status: 500, retryable: false },
  model_failed: { status: 502, retryable: true },
  model_response_invalid: { status: 502, retryable: true },
  no_pending_request: { status: 404, retryable: false },
  policy_failed: { status: 500, retryable: false },
  question_ambiguous: { status: 409, retryable: false },
  request_changed: { status: 409, retryable: false },
  script_exhausted: { status: 500, retryable: false },
  script_unconsumed: { status: 500, retryable: false },
  stale_answer: { status: 409, retryable: false },
  state_diverged: { status: 409, retryable: false },
  state_invalid: { status: 400, retryable: false },
  state_signature_invalid: { status: 400, retryable: false },
  store_busy: { status: 503, retryable: true },
  store_closed: { status: 500, retryable: false },
  store_corrupt: { status: 500, retryable: false },
  store_driver_missing: { status: 500, retryable: false },
  store_failed: { status: 500, retryable: true },
  store_newer: { status: 500, retryable: false },
  thread_busy: { status: 409, retryable: true },
  thread_id_invalid: { status: 400, retryable: false },
  thread_not_found: { status: 404, retryable: false },
  thread_paused: { status: 409, retryable: false },
  tool_invalid: { status: 500, retryable: false },
  tool_missing: { status: 500, retryable: false },
} as const

/** A stable name for a kind of failure. */
export type ErrorCode = keyof typeof errorCodes

const MARK = Symbol.for('holdpoint.error')

/** The base of every error that holdpoint throws or returns: `name` is its class, `code` is stable, ids are fields. */
export class HoldpointError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.name = new.target.name
    Object.defineProperty(this, MARK, { value: true })
  }

  /** Whether the same call may succeed later without anything being changed. */
  get retryable(): boolean {
    return errorCodes[this.code].retryable
  }

  /** Tells a holdpoint error, also one from another installed copy of the package. */
  static isInstance(value: unknown): value is HoldpointError {
    return typeof value === 'object' && value !== null && (value as { [MARK]?: unknown })[MARK] === true
  }
}

/** An agent was built from parts that do not fit together. */
export class AgentInvalid extends HoldpointError {
  constructor(problem: string) {
    super('agent_invalid', problem)
  }
}

/** A run was resumed with another agent than it was started with. */
export class AgentMismatch extends HoldpointError {
  readonly expected: string
  readonly actual: string

  constructor(expected: string, actual: string) {
    super(
      'agent_mismatch',
      `This run was started by agent "${expected}", not "${actual}": resume it with that agent, or give the agent that id.`,
    )
    this.expected = expected
    this.actual = actual
  }
}

/** `context` is stored and must be plain JSON. */
export class ContextInvalid extends HoldpointError {
  constructor(problem: string) {
    super('context_invalid', `context must be plain JSON, because it is stored: ${problem}. Pass live objects as deps.`)
  }
}

/** A decision that has not the shape of one. */
export class DecisionInvalid extends HoldpointError {
  constructor(problem: string) {
    super('decision_invalid', problem)
  }
}

/** A decision of a kind that the request does not accept. The request stays open. */
export class DecisionNotAllowed extends HoldpointError {
  readonly requestId: string
  readonly allowed: readonly string[]

  constructor(requestId: string, type: string, allowed: readonly string[]) {
    super('decision_not_allowed', `Request ${requestId} does not accept "${type}". It accepts: ${allowed.join(', ')}.`)
    this.requestId = requestId
    this.allowed = allowed
  }
}

/** Edited arguments that the tool's schema refuses. The request stays open. */
export class EditInvalid extends HoldpointError {
  readonly requestId: string
  readonly problems: readonly string[]

  constructor(requestId: string, problems: readonly string[]) {
    super('edit_invalid', `The edited call does not fit the tool: ${problems.join('; ')}. The request is still open.`)
    this.requestId = requestId
    this.problems = problems
  }
}

/** An input or an option that cannot be used. */
export class InputInvalid extends HoldpointError {
  constructor(problem: string) {
    super('input_invalid', problem)
  }
}

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

/** The run reached its limit of model calls. Resume it with a larger `maxTurns` to go on. */
export class MaxTurnsExceeded extends HoldpointError {
  readonly maxTurns: number

  constructor(maxTurns: number) {
    super(
      'max_turns_exceeded',
      `The run made ${maxTurns} model calls, its limit. Resume it with a larger maxTurns to go on.`,
    )
    this.maxTurns = maxTurns
  }
}

/** The model threw. Nothing was stored of the turn; resuming asks it again. */
export class ModelFailed extends HoldpointError {
  constructor(cause: unknown) {
    super('model_failed', `The model failed: ${messageOf(cause)}. Nothing was lost: resume the run to ask it again.`, {
      cause,
    })
  }
}

/** The model's answer contradicts itself. Nothing of it ran. */
export class ModelResponseInvalid extends HoldpointError {
  constructor(problem: string) {
    super('model_response_invalid', `The model's answer cannot be used: ${problem}. Nothing of it was stored or run.`)
  }
}

/** A rule that judges calls threw or gave no clear answer. Nothing ran. */
export class PolicyFailed extends HoldpointError {
  readonly toolName: string

  constructor(toolName: string, problem: string, cause?: unknown) {
    super(
      'policy_failed',
      `needsApproval of tool "${toolName}" ${problem}. Nothing of this turn ran; resume when it is mended.`,
      { cause },
    )
    this.toolName = toolName
  }
}

/** The base of the errors around requests to people. */
export class HitlError extends HoldpointError {}

/** Nothing was ever asked under this id. */
export class HitlNoPendingRequest extends HitlError {
  readonly requestId: string

  constructor(requestId: string) {
    super('no_pending_request', `There is no request "${requestId}" here.`)
    this.requestId = requestId
  }
}

/** The request was settled before. Says by whom, how and when. */
export class HitlStaleAnswer extends HitlError {
  readonly requestId: string
  readonly requestStatus: string
  readonly decision: Decision | undefined
  readonly by: Actor | undefined
  readonly at: string | undefined

  constructor(settled: { id: string; status: string; version: number; decision?: Decision; by?: Actor; at?: string }) {
    super('stale_answer', `Request ${settled.id} is ${staleText(settled)}`)
    this.requestId = settled.id
    this.requestStatus = settled.status
    this.decision = settled.decision
    this.by = settled.by
    this.at = settled.at
  }
}

function staleText(settled: { status: string; version: number; decision?: Decision; by?: Actor; at?: string }): string {
  if (settled.status === 'open') return `open at version ${settled.version} now: read it again before answering.`
  const how = settled.decision ? `decided (${settled.decision.type})` : settled.status
  return `already ${how}${settled.by ? ` by ${settled.by.kind} ${settled.by.id}` : ''}${settled.at ? ` at ${settled.at}` : ''}.`
}

/** Two open requests share this question id. Answer by request id. */
export class QuestionAmbiguous extends HitlError {
  readonly questionId: string
  readonly requestIds: readonly string[]

  constructor(questionId: string, requestIds: readonly string[]) {
    super(
      'question_ambiguous',
      `"${questionId}" names ${requestIds.length} open requests; answer by id: ${requestIds.join(', ')}.`,
    )
    this.questionId = questionId
    this.requestIds = requestIds
  }
}

/** The copy of a request that was handed in is not what was asked. */
export class RequestChanged extends HitlError {
  readonly requestId: string

  constructor(requestId: string) {
    super(
      'request_changed',
      `The copy of request ${requestId} that was passed has other arguments than what was asked. To change them use edit().`,
    )
    this.requestId = requestId
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

/** The store stayed locked by others for too long. */
export class StoreBusy extends HoldpointError {
  constructor(what: string, cause?: unknown) {
    super('store_busy', `${what} is locked by another process. Nothing was written; try again.`, { cause })
  }
}

/** The store was closed. */
export class StoreClosed extends HoldpointError {
  constructor() {
    super('store_closed', 'The store is closed.')
  }
}

/** The file is damaged or is not a holdpoint store. It was left as it is. */
export class StoreCorrupt extends HoldpointError {
  constructor(path: string, problem: string, cause?: unknown) {
    super('store_corrupt', `${path} cannot be used as a store: ${problem}. It was left as it is.`, { cause })
  }
}

/** The driver that a store needs is not installed. */
export class StoreDriverMissing extends HoldpointError {
  constructor(hint: string, cause?: unknown) {
    super('store_driver_missing', hint, { cause })
  }
}

/** The store failed in a way of its own. */
export class StoreFailed extends HoldpointError {
  constructor(what: string, cause: unknown) {
    super('store_failed', `${what}: ${messageOf(cause)}`, { cause })
  }
}

/** The store was written by a newer version of holdpoint. It was left as it is. */
export class StoreNewer extends HoldpointError {
  constructor(path: string, found: number, supported: number) {
    super(
      'store_newer',
      `${path} has schema version ${found}; this version of holdpoint reads up to ${supported}. Update holdpoint. It was left as it is.`,
    )
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

/** A tool was defined wrongly. */
export class ToolInvalid extends HoldpointError {
  constructor(name: string, problem: string) {
    super('tool_invalid', `Tool "${name}": ${problem}.`)
  }
}

/** A stored call names a tool that this agent does not have. Nothing ran; the run stays resumable. */
export class ToolMissing extends HoldpointError {
  readonly toolName: string

  constructor(toolName: string, agent: string) {
    super(
      'tool_missing',
      `A call waits to run tool "${toolName}", but agent "${agent}" has no such tool. Give it back and resume; nothing was lost.`,
    )
    this.toolName = toolName
  }
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
