import { listsOf, mayAuthor, reviewedBy } from '../../core/access.ts'
import { callDigest } from '../../core/digest.ts'
import { openRun } from '../../core/open-run.ts'
import type { AskAgain, AskedReview } from '../../core/plan/ask-again.ts'
import { lastAnswer } from '../../core/queries.ts'
import type { Call, Frame, Release, Run, ThreadState } from '../../core/state.ts'
import type { BoundPolicy, Composed } from '../../policy/compose.ts'
import { type Actor, type DecisionType, decisionTypes } from '../../protocol/decision.ts'
import type { PolicyMark } from '../../protocol/entries/entry.ts'
import { JournalInvalid } from '../../protocol/errors/errors.ts'
import { frameOf } from '../../protocol/ids.ts'
import { frameContext, type Judges, ownerOf, policiesOver, type RunParts } from '../frames/frame-agents.ts'
import type { KnownGrants } from '../journal/known-grants.ts'
import { type FactsSource, readFacts } from './exact-call.ts'
import { askPolicies, judgeCall, type PolicyContext } from './judge.ts'

/** Dependencies of `judgeAgain`. */
export interface JudgeAgainParts extends RunParts, FactsSource {
  readonly grants: KnownGrants
}

/** A frame of a run. */
export interface FramePlace {
  readonly run: Run
  readonly frame: Frame
}

/** The outcome of a second judgement. `same`: not stricter. Its marks are recorded, so that the call is not judged again. */
export type SecondJudgement =
  | { kind: 'same'; marks: PolicyMark[] }
  | { kind: 'deny'; reason: string; marks: PolicyMark[] }
  | { kind: 'review'; ask: Omit<AskAgain, 'id' | 'now' | 'release'> }

/**
 * Judges a call again if its policies have changed since it was judged, or if its run was moved to another version of the agent. Only a stricter
 * verdict counts. `undefined`: the policies are the same. With `onPolicyChange: 'keep'` only the policies of the process count.
 */
export async function judgeAgain(
  parts: JudgeAgainParts,
  call: Call,
  release: Release,
): Promise<SecondJudgement | undefined> {
  const { state } = parts.journal
  const run = openRun(state)
  const frame = requireFrame(state, run, call)
  if (!call.moved && changedPolicies(parts, { run, frame }, call).length === 0) return undefined
  const { onPolicyChange } = parts.agent
  const tool = ownerOf(parts.agent, call).requireTool(release.tool)
  const context = policyContextOf(parts, { state, frame }, call.agent.id)
  const asked = { callId: call.id, args: release.args }
  const composed = call.moved
    ? await judgeCall(context, tool, asked)
    : await askPolicies(
        { ...context, policies: judgesNow(parts, { run, frame }) },
        tool,
        // needsApproval has no version, so it is not called again.
        { ...asked, own: { verdict: 'allow' } },
      )
  const { verdict, marks } = composed
  if (verdict.kind === 'deny') return { kind: 'deny', reason: verdict.reason, marks }
  if (verdict.kind !== 'review' || takesWordOf(parts, release, composed)) return { kind: 'same', marks }
  if (onPolicyChange === 'deny')
    return { kind: 'deny', reason: 'its policy became stricter after it was cleared', marks }
  const facts = await readFacts(tool, release, { ctx: parts.factsContext(frame.key) })
  const definition = tool.fingerprint
  const digest = callDigest({ tool: release.tool, definition, args: release.args, ...facts })
  const review = toReview(composed, parts.journal.now())
  return { kind: 'review', ask: { reason: 'policy_changed', digest, definition, facts, review } }
}

/** The policies that may judge a call again. */
function judgesNow(judges: Judges, { run, frame }: FramePlace): readonly BoundPolicy[] {
  return judges.agent.onPolicyChange === 'keep' ? (judges.policies ?? []) : policiesOver(judges, run, frame)
}

/** Describes how the policies over a call differ from those that it was judged by. */
export function changedPolicies(judges: Judges, place: FramePlace, call: Call): string[] {
  const then = versions(call.policies.map(({ name, version, shadow }) => ({ name, version, shadow: shadow ?? false })))
  const now = versions(judgesNow(judges, place).map(({ policy }) => policy))
  const names = judges.agent.onPolicyChange === 'keep' ? [...now.keys()] : [...then.keys(), ...now.keys()]
  return [...new Set(names)].flatMap((name) => {
    const [before, after] = [then.get(name), now.get(name)]
    if (before === after) return []
    if (before === undefined) return [`policy "${name}" is new`]
    return [after === undefined ? `policy "${name}" is gone` : `policy "${name}" was version ${before} and is ${after}`]
  })
}

/** Versions by policy name. The versions of several policies with one name are joined. */
function versions(
  policies: readonly Pick<BoundPolicy['policy'], 'name' | 'version' | 'shadow'>[],
): Map<string, string> {
  const known = new Map<string, string>()
  for (const { name, version, shadow } of policies) {
    if (shadow) continue
    const other = known.get(name)
    known.set(name, other === undefined ? version : `${other}, ${version}`)
  }
  return known
}

/** Whether this reviewer may make one of these decisions in a review. */
export function mayReview(by: Actor | undefined, { review }: Composed, needed: readonly DecisionType[]): boolean {
  const isAllowed = review.allowedDecisions?.some((type) => needed.includes(type)) ?? true
  const isForAnybody = listsOf(review).length === 0 && review.via === undefined
  return isAllowed && (isForAnybody || (by !== undefined && mayAuthor(by, review)))
}

/** Whether the review would accept the decision that released the call. Calls that rules released were never reviewed. */
function takesWordOf(parts: JudgeAgainParts, { by, edited }: Release, composed: Composed): boolean {
  const needed: DecisionType[] = edited ? ['approve', 'edit'] : ['approve']
  switch (by.kind) {
    case 'person':
      return mayReview(by, composed, needed)
    case 'grant': {
      const { grants } = parts.journal.state
      const given = parts.grants.known.find(({ grant }) => grant.id === by.id)?.grant ?? grants.get(by.id)?.grant
      return mayReview(given?.by, composed, needed)
    }
    case 'time':
      return composed.review.onTimeout === 'allow'
    case 'policy':
    case 'system':
      return false
    default:
      return by.kind satisfies never
  }
}

function toReview({ review, marks }: Composed, now: number): AskedReview {
  const { allowedDecisions = decisionTypes, timeoutSeconds, reviewers, reviewerLists, via, ...others } = review
  return {
    ...others,
    allowedDecisions: [...allowedDecisions],
    ...reviewedBy(listsOf({ reviewers, reviewerLists })),
    ...(via === undefined ? {} : { via: [...via] }),
    ...(timeoutSeconds === undefined ? {} : { expiresAt: now + timeoutSeconds * 1000 }),
    policies: marks,
  }
}

/** The policy context for judging a recorded call again: that of the model's answer which made it. */
export function policyContextOf(
  judges: Judges,
  { state, frame }: { state: ThreadState; frame: Frame },
  agentId: string,
): PolicyContext {
  const run = openRun(state)
  const { messages, message } = lastAnswer(frame)
  return {
    agentId,
    policies: policiesOver(judges, run, frame),
    runContext: frameContext(state, run, frame.key),
    threadId: state.threadId,
    messages,
    message,
  }
}

function requireFrame(state: ThreadState, run: Run, call: Call): Frame {
  const key = frameOf(call.key)
  const frame = run.frames.get(key)
  if (!frame)
    throw new JournalInvalid({ threadId: state.threadId, seq: state.version, problem: `there is no frame ${key}` })
  return frame
}
