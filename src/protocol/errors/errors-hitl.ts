import type { Actor, Decision } from '../decision.ts'
import { HoldpointError } from './error-base.ts'

/** The base of the errors around requests to people. */
export class HitlError extends HoldpointError {}

/** A decision that has not the shape of one. */
export class DecisionInvalid extends HitlError {
  constructor(problem: string) {
    super('decision_invalid', problem)
  }
}

/** A decision of a kind that the request does not accept. The request stays open. */
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
 * Answers that do not say which requests they are for, given to an object that has not shown exactly what is open. Nothing was decided:
 * they could have been meant for something else.
 */
export class DecisionUnbound extends HitlError {
  readonly threadId: string
  /** What is open now. */
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

/** A state was to be turned into a text while a decision on it was still being made: the text would not have it. */
export class DecisionPending extends HitlError {
  readonly threadId: string

  constructor(threadId: string) {
    super(
      'decision_pending',
      `A decision on thread ${threadId} is still being made: await it before the state is turned into a text.`,
    )
    this.threadId = threadId
  }
}

/** The key was used before by the same person in this thread, with another answer. Nothing was decided now. */
export class IdempotencyKeyReused extends HitlError {
  readonly idempotencyKey: string
  /** What was answered with it. */
  readonly requestIds: readonly string[]

  constructor(idempotencyKey: string, requestIds: readonly string[]) {
    super(
      'idempotency_key_reused',
      `The idempotency key "${idempotencyKey}" came with another answer before, to ${requestIds.join(', ')}. Use a new key for a new answer.`,
    )
    this.idempotencyKey = idempotencyKey
    this.requestIds = requestIds
  }
}

/** Edited arguments that the tool's schema refuses. The request stays open. */
export class EditInvalid extends HitlError {
  readonly requestId: string
  readonly problems: readonly string[]

  constructor(requestId: string, problems: readonly string[]) {
    super('edit_invalid', `The edited call does not fit the tool: ${problems.join('; ')}. The request is still open.`)
    this.requestId = requestId
    this.problems = problems
  }
}

/** A policy failed when it was asked about an edit: that is not the reviewer's mistake. The request stays open. */
export class EditNotJudged extends HitlError {
  readonly requestId: string

  constructor(requestId: string, problem: string, cause: unknown) {
    super(
      'edit_not_judged',
      `The policy could not judge this edit: ${problem}. The request stays open. Decide otherwise, or tell whoever looks after the agent.`,
      { cause },
    )
    this.requestId = requestId
  }
}

/** Nothing was ever asked under this id. */
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

/** There is no grant of this id. */
export class GrantNotFound extends HitlError {
  readonly grantId: string

  constructor(grantId: string) {
    super('grant_not_found', `There is no grant "${grantId}" here.`)
    this.grantId = grantId
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

/** The answer names another call than what is asked: its digest, tool or arguments differ. The request stays open. */
export class RequestChanged extends HitlError {
  readonly requestId: string
  /** What is asked now. */
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

/** An answer that does not fit what was asked. The request stays open. */
export class AnswerInvalid extends HitlError {
  readonly questionId: string

  constructor(questionId: string, problem: string) {
    super('answer_invalid', `This does not answer "${questionId}": ${problem}. The request is still open.`)
    this.questionId = questionId
  }
}

/** Something needs a channel and there is none. */
export class HitlChannelMissing extends HitlError {
  constructor(what: string) {
    super('channel_missing', `${what} needs a channel: pass one to agent.thread(threadId, { channel }).`)
  }
}

/** The channel waits for an answer already. The first question is undisturbed. */
export class HitlConcurrencyError extends HitlError {
  readonly questionId: string

  constructor(questionId: string) {
    super('channel_busy', `The channel waits for an answer to "${questionId}" already. Ask again when that is settled.`)
    this.questionId = questionId
  }
}

/** A tool waited inside its body on a durable channel and would lose or repeat what it did before. For the developer, not the model. */
export class HitlDurabilityNotGuaranteed extends HitlError {
  readonly toolName: string

  constructor(toolName: string) {
    super(
      'durability_not_guaranteed',
      `Tool "${toolName}" waits inside its body, which a restart would run again from the top. Mark it resumable and put what has an effect into ctx.step(), or set allowInsideCustomTool on the channel.`,
    )
    this.toolName = toolName
  }
}

/** A tool's body ended while it was still asking. For the developer, not the model; what the body came to is recorded. */
export class QuestionNotAwaited extends HitlError {
  readonly toolName: string

  constructor(toolName: string) {
    super(
      'question_not_awaited',
      `Tool "${toolName}" ended without waiting for what it asked; the question was withdrawn. Await ctx.confirm(), ctx.ask() and ctx.hold(), or give the question a signal or timeoutSeconds.`,
    )
    this.toolName = toolName
  }
}

/** The four ways in which a wait ends without an answer. Never shown to the model as they are, whoever catches them. */
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

/** The thread was detached. `stored`: the question stays open, and somebody else goes on; otherwise it is gone with this process. */
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

/** Somebody decided who is not among the request's reviewers. The request stays open. */
export class ReviewerNotAllowed extends HitlError {
  readonly requestId: string
  readonly reviewer: string

  constructor(requestId: string, reviewer: string) {
    super('reviewer_not_allowed', `"${reviewer}" is not among the reviewers of request ${requestId}. It is still open.`)
    this.requestId = requestId
    this.reviewer = reviewer
  }
}
