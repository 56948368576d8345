import { isSatisfiable, listsOf, type Reviewed, reviewedBy } from '../core/access.ts'
import { strictest } from '../core/verdict.ts'
import { lazyMembers } from '../core/views/lazy-members.ts'
import { isRecord, keyProblem, tellReturned } from '../protocol/checks/returned.ts'
import { type DecisionType, decisionTypes } from '../protocol/decision.ts'
import type { PolicyMark, Verdict } from '../protocol/entries/entry.ts'
import { messageOf, PolicyFailed } from '../protocol/errors/errors.ts'
import { cloneJson, type JsonObject } from '../protocol/json/json.ts'
import { type AssistantMessage, cloneMessages, type Message } from '../protocol/message.ts'
import type { OnTimeout, Risk } from '../protocol/request.ts'
import { joinSchemas } from '../schema/join.ts'
import type { Judge, Policy, PolicyCall, PolicyVerdict, ReviewOptions } from './policy.ts'
import { reviewProblem } from './review-options.ts'

/** An agent's policies, bound to its tools. */
export interface BoundPolicy {
  readonly policy: Policy
  readonly judge: Judge
}

/** The composed verdict on a call, and each policy's own verdict for the record. */
export interface Composed {
  verdict: Verdict
  review: ComposedReview
  marks: PolicyMark[]
}

/** The review that all policies together ask for. */
type ComposedReview = ReviewOptions & Pick<Reviewed, 'reviewerLists'>

const ANY_DECISION: ReviewOptions = Object.freeze({ allowedDecisions: decisionTypes })

/** Asks every policy once and composes the verdicts: deny beats review, review beats allow, and every restriction of every review applies (G8). */
export async function composeVerdicts(
  policies: readonly BoundPolicy[],
  call: PolicyCall,
  tool: { own: PolicyVerdict; risk: Risk | undefined; inTime?: TimeLimit },
): Promise<Composed> {
  const said: PolicyVerdict[] = [tool.own]
  const marks: PolicyMark[] = []
  for (const { policy, judge } of policies) {
    const { name, version, shadow } = policy
    if (shadow) {
      marks.push({ name, version, ...(await tryOut(() => ask(policy, judge, call), tool.inTime)), shadow: true })
      continue
    }
    const asked = ask(policy, judge, call)
    // Most verdicts are synchronous, and an await would cost more than the rest of this loop.
    const verdict = asked instanceof Promise ? await asked : asked
    said.push(verdict)
    marks.push({ name, version, verdict: verdict.verdict })
  }
  const reviews = said.filter((one) => one.verdict === 'review')
  if (reviews.length === 0) {
    const review = tool.risk ? { ...ANY_DECISION, risk: tool.risk } : ANY_DECISION
    return { verdict: strictest(said.map(toVerdict)), review, marks }
  }
  const review = mergeReviews(tool.risk ? [{ risk: tool.risk }, ...reviews] : reviews)
  if (review.onTimeout === 'allow' && review.risk !== 'low') {
    throw new PolicyFailed(
      call.toolName,
      `A policy lets ${call.toolName} run when nobody answers; only tools marked risk: 'low' may do that`,
    )
  }
  if (!isSatisfiable(listsOf(review))) {
    throw new PolicyFailed(call.toolName, `No reviewer of ${call.toolName} is accepted by all policies`)
  }
  if (review.via?.length === 0) {
    throw new PolicyFailed(call.toolName, `No door to decide ${call.toolName} is accepted by all policies`)
  }
  return { verdict: strictest(said.map(toVerdict)), review, marks }
}

/** Rejects if the work takes too long. */
export type TimeLimit = <T>(work: Promise<T>) => Promise<T>

/** The verdict of a shadow policy. A failure or timeout is recorded and has no other effect. */
async function tryOut(
  askShadow: () => PolicyVerdict | Promise<PolicyVerdict>,
  inTime: TimeLimit = (work) => work,
): Promise<Pick<PolicyMark, 'verdict' | 'problem'>> {
  try {
    const asked = askShadow()
    return { verdict: (asked instanceof Promise ? await inTime(asked) : asked).verdict }
  } catch (error) {
    return { verdict: 'failed', problem: error instanceof PolicyFailed ? error.problem : messageOf(error) }
  }
}

function toVerdict(said: PolicyVerdict): Verdict {
  return said.verdict === 'deny' ? { kind: 'deny', reason: said.reason } : { kind: said.verdict }
}

function ask(policy: Policy, judge: Judge, call: PolicyCall): PolicyVerdict | Promise<PolicyVerdict> {
  const threw = (error: unknown) =>
    new PolicyFailed(call.toolName, `Policy "${policy.name}" threw: ${messageOf(error)}`, { cause: error })
  let given: PolicyVerdict | Promise<PolicyVerdict>
  try {
    given = judge(copyOf(call))
  } catch (error) {
    throw threw(error)
  }
  if (typeof (given as { then?: unknown } | null)?.then !== 'function') {
    return checkVerdict(policy, given as PolicyVerdict, call)
  }
  return Promise.resolve(given).then(
    (verdict) => checkVerdict(policy, verdict, call),
    (error: unknown) => {
      throw threw(error)
    },
  )
}

function checkVerdict(policy: Policy, verdict: PolicyVerdict, { toolName }: PolicyCall): PolicyVerdict {
  const problem = verdictProblem(verdict)
  if (problem) throw new PolicyFailed(toolName, `Policy "${policy.name}" ${problem}`)
  return verdict
}

const ALLOWED = `{ verdict: 'allow' }, { verdict: 'review', … } or { verdict: 'deny', reason }`

/** Describes what is wrong with a returned verdict. Unknown keys are refused, not ignored: one could be a misspelt restriction. */
function verdictProblem(said: unknown): string | undefined {
  const { verdict, ...rest } = isRecord(said) ? said : {}
  switch (verdict) {
    case 'allow':
      return unknownKey(verdict, keyProblem(rest, []))
    case 'deny':
      if (typeof rest.reason !== 'string') return 'denied without a reason'
      return unknownKey(verdict, keyProblem(rest, ['reason']))
    case 'review': {
      const problem = reviewProblem(rest)
      return problem && `returned a review that ${problem}`
    }
    default:
      return `returned ${tellReturned(said)}, which is not a verdict; it must be ${ALLOWED}`
  }
}

function unknownKey(verdict: string, problem: string | undefined): string | undefined {
  return problem && `returned the verdict '${verdict}' with an unknown key: ${problem}`
}

interface CopySource {
  readonly call: PolicyCall
  messages?: readonly Message[]
  message?: AssistantMessage
}

const withConversation = lazyMembers<CopySource, Pick<PolicyCall, 'messages' | 'message'>>({
  messages: (source) => {
    source.messages ??= cloneMessages(source.call.messages)
    return source.messages
  },
  message: (source) => {
    source.message ??= cloneJson(source.call.message as JsonObject) as AssistantMessage
    return source.message
  },
})

/** A copy of the call, so that a policy can change nothing. The conversation is copied only when the policy reads it. */
function copyOf(call: PolicyCall): PolicyCall {
  const { toolName, toolCallId, args, agent, runContext, threadId } = call
  return withConversation({ toolName, toolCallId, args: cloneJson(args), agent, runContext, threadId }, { call })
}

/** Keeps every restriction: only decisions that all reviews allow, every list of reviewers, the shortest times, the highest risk. */
function mergeReviews(reviews: readonly ReviewOptions[]): ComposedReview {
  const merged: ComposedReview = {}
  const decisions = reviews.reduce<readonly DecisionType[]>(
    (left, { allowedDecisions }) => (allowedDecisions ? left.filter((type) => allowedDecisions.includes(type)) : left),
    decisionTypes,
  )
  // If no decision is allowed by all policies, the call can only be rejected.
  merged.allowedDecisions = decisions.length > 0 ? decisions : ['reject']
  for (const review of reviews) {
    if (review.description !== undefined) merged.description ??= review.description
    if (review.argsSchema !== undefined)
      merged.argsSchema = joinSchemas([...(merged.argsSchema ? [merged.argsSchema] : []), review.argsSchema])
    if (review.risk !== undefined && (merged.risk === undefined || RISK[review.risk] > RISK[merged.risk]))
      merged.risk = review.risk
    for (const time of ['timeoutSeconds', 'decisionValidSeconds'] as const)
      if ((review[time] ?? Number.POSITIVE_INFINITY) < (merged[time] ?? Number.POSITIVE_INFINITY))
        merged[time] = review[time]!
    if (review.via !== undefined) merged.via = merged.via?.filter((door) => review.via?.includes(door)) ?? review.via
    if (review.onTimeout !== undefined) merged.onTimeout = stricter(merged.onTimeout, review.onTimeout)
  }
  const lists = reviews.flatMap(({ reviewers }) => (reviewers === undefined ? [] : [reviewers]))
  return { ...merged, ...reviewedBy(lists) }
}

const RISK = { low: 0, medium: 1, high: 2 } as const
const SOFTNESS: readonly OnTimeout[] = ['reject', 'escalate', 'keep', 'allow']

function stricter(a: OnTimeout | undefined, b: OnTimeout): OnTimeout {
  return a === undefined || SOFTNESS.indexOf(b) < SOFTNESS.indexOf(a) ? b : a
}
