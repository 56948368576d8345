import type { Actor, Decision } from '../decision.ts'
import { HoldpointError } from './error-base.ts'

/** The base of errors about requests to people. */
export class HitlError extends HoldpointError {}

/** A value does not have the shape of a decision. */
export class DecisionInvalid extends HitlError {
  constructor(problem: string) {
    super('decision_invalid', problem)
  }
}

/** The request does not accept this type of decision. It stays open. */
export class DecisionNotAllowed extends HitlError {
  readonly requestId: string
  readonly toolName: string | undefined
  readonly allowed: readonly string[]

  constructor(request: { id: string; toolName?: string }, type: string, allowed: readonly string[]) {
    const { id, toolName } = request
    const about = toolName === undefined ? '' : ` about ${toolName}`
    super('decision_not_allowed', `Request ${id}${about} does not accept "${type}". It accepts: ${allowed.join(', ')}.`)
    this.requestId = id
    this.toolName = toolName
    this.allowed = allowed
  }
}

/**
 * Answers do not name their requests, and this object has not shown exactly the open ones. Nothing was decided, since
 * the answers could have been meant for other requests.
 */
export class DecisionUnbound extends HitlError {
  readonly threadId: string
  /** The requests that are open now. */
  readonly requestIds: readonly string[]

  constructor(threadId: string, requestIds: readonly string[], why: string) {
    super(
      'decision_unbound',
      `Thread ${threadId}: these answers do not say which requests they are for, and ${why}. Name each request, { id, digest, … } as interruptions and toActionRequests() give them; or read the interruptions of this object first; or pass unbound: true to answer whatever is open now.`,
    )
    this.threadId = threadId
    this.requestIds = requestIds
  }
}

/** A state was serialised while a decision on it was still pending, and would have been missing. */
export class DecisionPending extends HitlError {
  readonly threadId: string

  constructor(threadId: string) {
    super(
      'decision_pending',
      `A decision on thread ${threadId} is still pending: await it before you serialise the state.`,
    )
    this.threadId = threadId
  }
}

/** The same person used this key before in this thread, with a different answer. Nothing was decided. */
export class IdempotencyKeyReused extends HitlError {
  readonly idempotencyKey: string
  /** The requests that were answered with it. */
  readonly requestIds: readonly string[]

  constructor(idempotencyKey: string, requestIds: readonly string[]) {
    super(
      'idempotency_key_reused',
      `The idempotency key "${idempotencyKey}" was used before with another answer, to ${requestIds.join(', ')}. Use a new key for a new answer.`,
    )
    this.idempotencyKey = idempotencyKey
    this.requestIds = requestIds
  }
}

/** The tool's schema refuses the edited arguments. The request stays open. */
export class EditInvalid extends HitlError {
  readonly requestId: string
  readonly problems: readonly string[]

  constructor(requestId: string, problems: readonly string[]) {
    super('edit_invalid', `The edited call does not fit the tool: ${problems.join('; ')}. The request is still open.`)
    this.requestId = requestId
    this.problems = problems
  }
}

/** A policy failed while judging an edit. The reviewer made no mistake. The request stays open. */
export class EditNotJudged extends HitlError {
  readonly requestId: string

  constructor(requestId: string, problem: string, cause: unknown) {
    super(
      'edit_not_judged',
      `The policy could not judge this edit: ${problem}. The request stays open. Decide otherwise, or tell the agent's maintainer.`,
      { cause },
    )
    this.requestId = requestId
  }
}

/** There never was a request with this id. */
export class HitlNoPendingRequest extends HitlError {
  readonly requestId: string | undefined

  constructor(requestId?: string) {
    super(
      'no_pending_request',
      requestId === undefined ? 'Nothing waits for an answer here.' : `There is no request "${requestId}" here.`,
    )
    this.requestId = requestId
  }
}

/** There is no grant with this id. */
export class GrantNotFound extends HitlError {
  readonly grantId: string

  constructor(grantId: string) {
    super('grant_not_found', `There is no grant "${grantId}" here.`)
    this.grantId = grantId
  }
}

/** The request is already settled. Says by whom, how and when. */
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
  if (settled.version === 0) return `${how}.`
  return `already ${how}${settled.by ? ` by ${settled.by.kind} ${settled.by.id}` : ''}${settled.at ? ` at ${settled.at}` : ''}.`
}

/** Several requests of the thread share this question id. Answer by request id, or name the digest. */
export class QuestionAmbiguous extends HitlError {
  readonly questionId: string
  readonly requestIds: readonly string[]

  constructor(questionId: string, requestIds: readonly string[]) {
    super(
      'question_ambiguous',
      `"${questionId}" names ${requestIds.length} requests of this thread; answer by id: ${requestIds.join(', ')}.`,
    )
    this.questionId = questionId
    this.requestIds = requestIds
  }
}

/** The answer names a different call than the request: its digest, tool or arguments differ. The request stays open. */
export class RequestChanged extends HitlError {
  readonly requestId: string
  /** The request's current version. */
  readonly version: number
  readonly digest: string | undefined

  constructor(now: { id: string; version: number; digest?: string; toolName?: string }) {
    const { id, version, digest, toolName } = now
    super(
      'request_changed',
      `What was passed is not what request ${id} asks: that is ${toolName ?? 'a question'} at version ${version}${digest === undefined ? '' : ` with digest ${digest}`}. Read it again before answering; to change arguments use edit().`,
    )
    this.requestId = id
    this.version = version
    this.digest = digest
  }
}

/** An answer does not match the question. The request stays open. */
export class AnswerInvalid extends HitlError {
  readonly questionId: string

  constructor(questionId: string, problem: string) {
    super('answer_invalid', `This does not answer "${questionId}": ${problem}. The request is still open.`)
    this.questionId = questionId
  }
}

/** A channel is required and missing. */
export class HitlChannelMissing extends HitlError {
  constructor(what: string) {
    super('channel_missing', `${what} needs a channel: pass one to agent.thread(threadId, { channel }).`)
  }
}

/** The channel already waits for an answer. The first question is unaffected. */
export class HitlConcurrencyError extends HitlError {
  readonly questionId: string

  constructor(questionId: string) {
    super('channel_busy', `The channel already waits for an answer to "${questionId}". Ask again when that is settled.`)
    this.questionId = questionId
  }
}

/** A tool waited inside its body on a durable channel: a restart would lose or repeat its work. For the developer. */
export class HitlDurabilityNotGuaranteed extends HitlError {
  readonly toolName: string

  constructor(toolName: string) {
    super(
      'durability_not_guaranteed',
      `Tool "${toolName}" waits inside its body, which a restart would run again from the top. Mark it resumable and put every side effect into ctx.step(), or set allowInsideCustomTool on the channel.`,
    )
    this.toolName = toolName
  }
}

/** A tool's body ended before its question was answered. Its result is recorded. For the developer, not the model. */
export class QuestionNotAwaited extends HitlError {
  readonly toolName: string

  constructor(toolName: string) {
    super(
      'question_not_awaited',
      `Tool "${toolName}" ended before its question was answered; the question was withdrawn. Await ctx.confirm(), ctx.ask() and ctx.hold(), or give the question a signal or timeoutSeconds.`,
    )
    this.toolName = toolName
  }
}

/** The base of the four ways in which a wait ends without an answer. The model never sees them as they are. */
export class HitlControlException extends HitlError {}

/** The host cancelled the question. */
export class HitlCancelled extends HitlControlException {
  readonly reason: string

  constructor(reason: string) {
    super('hitl_cancelled', `The question was cancelled: ${reason}`)
    this.reason = reason
  }
}

/** Nobody answered in time. */
export class HitlTimedOut extends HitlControlException {
  readonly seconds: number

  constructor(seconds: number) {
    super('hitl_timed_out', `Nobody answered within ${seconds} s.`)
    this.seconds = seconds
  }
}

/**
 * The thread was detached. `stored`: the question stays open and another process continues. Otherwise it is gone with
 * this process.
 */
export class HitlDetached extends HitlControlException {
  readonly stored: boolean

  constructor(stored = true) {
    const what = stored
      ? 'the question stays open'
      : 'its channel does not store questions, so this one is gone; resuming decides what becomes of the call'
    super('hitl_detached', `The thread was detached while this waited; ${what}.`)
    this.stored = stored
  }
}

/** The conversation was aborted, or the wait's signal fired. */
export class HitlAborted extends HitlControlException {
  constructor(reason: string) {
    super('hitl_aborted', `The wait was aborted: ${reason}`)
  }
}

/** The person who decided is not one of the request's reviewers, or came through a door that it does not accept. The request stays open. */
export class ReviewerNotAllowed extends HitlError {
  readonly requestId: string
  readonly reviewer: string

  /** `doors`: the request can only be decided through these, and the decision came through another. */
  constructor(requestId: string, reviewer: string, doors?: readonly string[]) {
    const problem = doors
      ? `Request ${requestId} can only be decided through: ${doors.join(', ')}.`
      : `"${reviewer}" is not among the reviewers of request ${requestId}.`
    super('reviewer_not_allowed', `${problem} It is still open.`)
    this.requestId = requestId
    this.reviewer = reviewer
  }
}
