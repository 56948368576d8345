import { callDigest } from '../../core/digest.ts'
import { planAskAgain, planEditRelease, planRefusals, planReopen } from '../../core/plan/calls.ts'
import { errorResult } from '../../core/plan/results.ts'
import { type Call, type CallFacts, type Frame, findCall, type ThreadState } from '../../core/state.ts'
import type { EditCheck } from '../../desk/decide.ts'
import type { BoundPolicy, Composed } from '../../policy/compose.ts'
import { type Actor, type Decision, editOf } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entry.ts'
import { FactsUnstable, JournalInvalid } from '../../protocol/errors.ts'
import { frameOf } from '../../protocol/ids.ts'
import { schemaProblems } from '../../schema/compile.ts'
import type { FactsContext } from '../definition/approval.ts'
import { lostFields, recordArgs } from '../definition/args.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { words } from '../definition/model-messages.ts'
import { type Driver, openRun } from '../loop/driver.ts'
import { type ChangedCall, changedSince, MAX_ROUNDS, readFacts } from './exact-call.ts'
import { agentOf, ownerOf } from './frame-agents.ts'
import { judgeCall } from './judge.ts'
import { benchOf, mayReview } from './judge-again.ts'
import { argsSizeProblem } from './size-limits.ts'

/** An edit, with what it is judged by. */
export interface AskedEdit {
  agent: AgentDefinition
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
  const { agent, frame } = placeOf(edit)
  const bench = benchOf(edit.agent, edit.state, frame, opened.agent)
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
  const { args, argsInput } = recorded
  // Somebody who mistypes a field must not let the call run as it was. What a schema makes something else of cannot be compared.
  const lost = argsInput ? [] : lostFields(decision.args, args)
  if (lost.length > 0) return { ok: false, problems: lost.map((field) => words.unknownField(field, name)) }
  const problems = opened.argsSchema ? schemaProblems(opened.argsSchema, argsInput ?? args) : []
  if (problems.length > 0) return { ok: false, problems }
  const judged = await judgeCall(bench, tool, { callId: opened.toolCallId ?? '', args })
  if (judged.verdict.kind === 'deny') return { ok: false, problems: [judged.verdict.reason] }
  const renamed = name !== opened.toolName
  if (judged.verdict.kind === 'review' && !mayReview(edit.by.id, judged, renamed ? ['approve'] : ['approve', 'edit'])) {
    return { ok: false, problems: [`${edit.by.id} may not let ${name} run with these arguments`] }
  }
  const isSpecial = tool.special !== undefined || agent.findTool(opened.toolName ?? '')?.special !== undefined
  if (renamed && (isSpecial || !mayChoose(bench.policies, judged))) {
    return { ok: false, problems: [`an edit may not change the tool from ${opened.toolName} to ${name}`] }
  }
  // What the call was and becomes depends on is read by who has the live objects for it: the driver, before it releases.
  if (!factsContext && (hasFacts(opened) || tool.preview || tool.preconditions)) return undefined
  const facts = factsContext ? await readFacts(tool, { args, asRun: true, argsInput }, factsContext) : {}
  const exact = { tool: name, definition: tool.fingerprint, args }
  const digest = callDigest({ ...exact, ...facts })
  const input = argsInput ? { argsInput } : {}
  return { ok: true, edited: { ...exact, ...input, facts, digest, policies: judged.marks } }
}

function hasFacts({ preview, preconditions }: EntryOf<'request.opened'>): boolean {
  return preview !== undefined || preconditions !== undefined
}

/** Another tool may be chosen only where a policy has a say in it. */
function mayChoose(policies: readonly BoundPolicy[], { marks }: Composed): boolean {
  return policies.length > 0 && marks.some((mark) => !mark.shadow)
}

/** Where the model's own call stood. */
function placeOf({ agent: root, state, opened }: AskedEdit): { agent: AgentDefinition; frame: Frame } {
  const run = openRun(state)
  const key = opened.call === undefined ? run.id : frameOf(opened.call)
  const frame = run.frames.get(key)
  const call = opened.call === undefined ? undefined : findCall(state, opened.call)
  if (!frame)
    throw new JournalInvalid({ threadId: state.threadId, seq: state.version, problem: `there is no frame ${key}` })
  return { agent: call ? ownerOf(root, call) : agentOf(root, frame), frame }
}

/**
 * Checks an edit before it is released. What its author saw of the original call must still be so, else they are asked again; then the edit itself is
 * checked: it is released, or the request opens again and says why.
 */
export async function settleEdit(driver: Driver, asked: Call): Promise<void> {
  if (asked.phase.at !== 'answered' || asked.phase.answer.kind !== 'decision') return
  const { request, answer } = asked.phase
  const decision = editOf(answer.decision)
  if (!decision) return
  const { state } = driver.journal
  const { opened } = request
  const changed = await changedForEditor(driver, asked, opened)
  if (changed) return askEditor(driver, asked, { opened, changed })
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

/** What is different from what the author of an edit was shown of the original call. */
async function changedForEditor(
  driver: Driver,
  call: Call,
  opened: EntryOf<'request.opened'>,
): Promise<ChangedCall | undefined> {
  const { toolName, args, digest } = opened
  if (toolName === undefined || !args || digest === undefined || !hasFacts(opened)) return undefined
  const tool = ownerOf(driver.agent, call).requireTool(toolName)
  const shown = {
    tool: toolName,
    args,
    asRun: opened.asRun === true,
    argsInput: opened.argsInput,
    facts: factsOf(opened),
    digest,
  }
  return changedSince(tool, shown, driver.factsContext())
}

function factsOf({ preview, previewCompare, preconditions }: EntryOf<'request.opened'>): CallFacts {
  return {
    ...(preview === undefined ? {} : { preview }),
    ...(previewCompare === undefined ? {} : { previewCompare }),
    ...(preconditions === undefined ? {} : { preconditions }),
  }
}

/** Asks about the original call as it is now; nobody is asked any more if it is different each time. */
async function askEditor(
  driver: Driver,
  asked: Call,
  { opened, changed }: { opened: EntryOf<'request.opened'>; changed: ChangedCall },
): Promise<void> {
  const { toolName: tool = '', args = {}, argsInput } = opened
  const { members, ...now } = changed
  const unstable = asked.changes + 1 >= MAX_ROUNDS
  const entries = await driver.activation.write((state) => {
    const call = findCall(state, asked.key)
    if (call?.phase.at !== 'answered') return undefined
    if (unstable)
      return { entries: planRefusals([{ call, cause: 'denied', result: errorResult(words.unstable(tool)) }]) }
    const ask = { id: driver.newId(), now: driver.journal.now(), reason: 'changed' as const }
    return {
      entries: [
        planAskAgain(openRun(state), call, {
          ...ask,
          ...now,
          release: { tool, args, asRun: opened.asRun === true, argsInput },
        }),
      ],
    }
  })
  if (entries && unstable) throw new FactsUnstable(tool, members, MAX_ROUNDS)
}
