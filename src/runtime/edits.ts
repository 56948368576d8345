import { callDigest } from '../core/digest.ts'
import { planEditRelease, planReopen } from '../core/plan/calls.ts'
import { type Call, findCall, shownMessages, type ThreadState } from '../core/state.ts'
import type { EditCheck } from '../desk/decide.ts'
import type { BoundPolicy, Composed } from '../policy/compose.ts'
import { type Actor, type Decision, type DecisionType, editOf } from '../protocol/decision.ts'
import type { EntryOf } from '../protocol/entry.ts'
import { JournalInvalid } from '../protocol/errors.ts'
import { frameOf } from '../protocol/ids.ts'
import { schemaProblems } from '../schema/compile.ts'
import type { Agent } from './agent.ts'
import { lostFields, recordArgs } from './args.ts'
import { argsSizeProblem } from './bounded.ts'
import { agentOf, frameContext, ownerOf, policiesOver } from './cast.ts'
import { type Driver, openRun } from './driver.ts'
import { readFacts } from './exact-call.ts'
import { type Court, judgeCall } from './judge.ts'
import type { FactsContext } from './tool.ts'
import { words } from './words.ts'

/** An edit, with what it is judged by. */
export interface AskedEdit {
  agent: Agent
  state: ThreadState
  opened: EntryOf<'request.opened'>
  decision: Extract<Decision, { type: 'edit' }>
  by: Actor
}

/**
 * Checks a person's edit with the agent's code: its schema and the request's own must accept the arguments, and the policies judge the edited
 * call once more. A denial refuses the edit; a review does not, since the edit is the review.
 */
export async function checkEdit(edit: AskedEdit, factsContext?: FactsContext): Promise<EditCheck | undefined> {
  const { opened, decision } = edit
  const court = courtOf(edit)
  const { agent } = court
  const name = decision.toolName ?? opened.toolName ?? ''
  const tool = agent.findTool(name)
  if (!tool) {
    const known = agent.toolset.map((one) => one.name)
    return { ok: false, problems: [words.unknownTool(name, known)] }
  }
  const size = argsSizeProblem(agent, decision.args)
  if (size) return { ok: false, problems: [size] }
  const recorded = await recordArgs(tool, decision.args)
  if (!recorded.ok) return recorded
  const { args, value } = recorded
  // Somebody who mistypes a field must not let the call run as it was.
  const lost = lostFields(decision.args, args)
  if (lost.length > 0) return { ok: false, problems: lost.map((field) => words.unknownField(field, name)) }
  const problems = opened.argsSchema ? schemaProblems(opened.argsSchema, args) : []
  if (problems.length > 0) return { ok: false, problems }
  const judged = await judgeCall(court, tool, { callId: opened.toolCallId ?? '', args, value })
  if (judged.verdict.kind === 'deny') return { ok: false, problems: [judged.verdict.reason] }
  const renamed = name !== opened.toolName
  if (!mayReview(edit.by, judged, renamed ? ['approve'] : ['approve', 'edit'])) {
    return { ok: false, problems: [`${edit.by.id} may not let ${name} run with these arguments`] }
  }
  const isSpecial = tool.special !== undefined || agent.findTool(opened.toolName ?? '')?.special !== undefined
  if (renamed && (isSpecial || !mayChoose(court.policies, judged))) {
    return { ok: false, problems: [`an edit may not change the tool from ${opened.toolName} to ${name}`] }
  }
  // What the edited call depends on is read by who has the live objects for it: the driver, before it releases.
  if (!factsContext && (tool.preview || tool.preconditions)) return undefined
  const facts = factsContext ? await readFacts(tool, args, factsContext) : {}
  const exact = { tool: name, definition: tool.fingerprint, args }
  return { ok: true, edited: { ...exact, facts, digest: callDigest({ ...exact, ...facts }) } }
}

/** Whether a review of the edited call would take this person's word for it. */
function mayReview(by: Actor, { verdict, review }: Composed, needed: readonly DecisionType[]): boolean {
  if (verdict.kind !== 'review') return true
  const { allowedDecisions, reviewers } = review
  return (allowedDecisions?.some((type) => needed.includes(type)) ?? true) && (reviewers?.includes(by.id) ?? true)
}

/** Another tool may be chosen only where a policy has a say in it. */
function mayChoose(policies: readonly BoundPolicy[], { marks }: Composed): boolean {
  return policies.length > 0 && marks.some((mark) => !mark.shadow)
}

/** Before whom an edited call stands: where the model's own call stood. */
function courtOf({
  agent: root,
  state,
  opened,
}: AskedEdit): Omit<Court, 'facts' | 'guardsFirst' | 'now' | 'formatNotFound' | 'defaultTimeoutSeconds'> {
  const run = openRun(state)
  const key = opened.call === undefined ? run.id : frameOf(opened.call)
  const frame = run.frames.get(key)
  const call = opened.call === undefined ? undefined : findCall(state, opened.call)
  if (!frame)
    throw new JournalInvalid({ threadId: state.threadId, seq: state.version, problem: `there is no frame ${key}` })
  return {
    agent: call ? ownerOf(root, call) : agentOf(root, frame),
    agentId: opened.agent,
    policies: policiesOver(root, run, frame),
    runContext: frameContext(state, run, key),
    messages: shownMessages(frame),
  }
}

/** Checks an edit that a door without the agent's code accepted: it is released, or the request opens again and says why. */
export async function settleEdit(driver: Driver, asked: Call): Promise<void> {
  if (asked.phase.at !== 'answered' || asked.phase.answer.kind !== 'decision') return
  const { request, answer } = asked.phase
  const decision = editOf(answer.decision)
  if (!decision) return
  const { state } = driver.journal
  const { opened } = request
  const check = await checkEdit({ agent: driver.agent, state, opened, decision, by: answer.by }, driver.factsContext())
  if (!check) return
  await driver.activation.write((state) => {
    const call = findCall(state, asked.key)
    if (call?.phase.at !== 'answered') return undefined
    if (!check.ok) {
      const by = { kind: 'system', id: 'holdpoint' } as const
      return { entries: planReopen(call, { cause: 'edit_refused', by, problems: check.problems }) }
    }
    return { entries: [planEditRelease(call, { ...check.edited, by: answer.by, request: request.opened.id })] }
  })
}
