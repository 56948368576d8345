import { callDigest } from '../../core/digest.ts'
import { openRun } from '../../core/open-run.ts'
import { findCall } from '../../core/queries.ts'
import type { Frame, ThreadState } from '../../core/state.ts'
import type { EditCheck } from '../../desk/options.ts'
import type { BoundPolicy, Composed } from '../../policy/compose.ts'
import type { Actor, Decision } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import { JournalInvalid } from '../../protocol/errors/errors.ts'
import { frameOf } from '../../protocol/ids.ts'
import { schemaProblems } from '../../schema/compile.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { isToolEnabled } from '../definition/enabled.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { argsSizeProblem } from '../definition/size-limits.ts'
import type { FactsContext } from '../definition/tool/approval.ts'
import { lostFields, recordArgs } from '../definition/tool/args.ts'
import { agentOf, type Judges, ownerOf } from '../frames/frame-agents.ts'
import { readFacts } from './exact-call.ts'
import { judgeCall } from './judge.ts'
import { mayReview, policyContextOf } from './judge-again.ts'

/** An edit and the data that it is judged by. */
export interface AskedEdit extends Judges {
  state: ThreadState
  opened: EntryOf<'request.opened'>
  decision: Extract<Decision, { type: 'edit' }>
  by: Actor
}

/**
 * Checks a person's edit with the agent's code. The tool's schema and the request's own must accept the arguments, and the policies judge the
 * edited call. A denial refuses the edit; a review does not, since the edit is the review. `undefined`: only the driver can check it.
 */
export async function checkEdit(edit: AskedEdit, factsContext?: FactsContext): Promise<EditCheck | undefined> {
  const { opened, decision } = edit
  const { agent, frame } = placeOf(edit)
  const context = policyContextOf(edit, { state: edit.state, frame }, opened.agent)
  const name = decision.toolName ?? opened.toolName ?? ''
  const tool = agent.findTool(name)
  const isOther = name !== opened.toolName
  const enabledFor = { runContext: context.runContext, agent: opened.agent }
  if (!tool || (isOther && !(await isToolEnabled(tool, enabledFor)))) {
    const known = agent.toolset.map((one) => one.name)
    return { ok: false, problems: [modelMessages.unknownTool(name, known)] }
  }
  const size = argsSizeProblem(agent, decision.args)
  if (size) return { ok: false, problems: [size] }
  const recorded = await recordArgs(tool, decision.args)
  if (!recorded.ok) return recorded
  const { args, argsInput } = recorded
  // A mistyped field must not let the call run unedited. Fields cannot be compared if the schema transforms its input.
  const lost = argsInput ? [] : lostFields(decision.args, args)
  if (lost.length > 0) return { ok: false, problems: lost.map((field) => modelMessages.unknownField(field, name)) }
  const problems = opened.argsSchema ? schemaProblems(opened.argsSchema, argsInput ?? args) : []
  if (problems.length > 0) return { ok: false, problems }
  const judged = await judgeCall(context, tool, { callId: opened.toolCallId ?? '', args })
  if (judged.verdict.kind === 'deny') return { ok: false, problems: [judged.verdict.reason] }
  if (judged.verdict.kind === 'review' && !mayReview(edit.by, judged, isOther ? ['approve'] : ['approve', 'edit'])) {
    return { ok: false, problems: [`${edit.by.id} may not let ${name} run with these arguments`] }
  }
  const isSpecial = tool.special !== undefined || agent.findTool(opened.toolName ?? '')?.special !== undefined
  if (isOther && (isSpecial || !mayChoose(context.policies, judged))) {
    return { ok: false, problems: [`an edit may not change the tool from ${opened.toolName} to ${name}`] }
  }
  // Reading facts needs live objects: the driver checks this edit before it releases the call.
  if (!factsContext && (hasFacts(opened) || tool.preview || tool.preconditions)) return undefined
  const facts = factsContext ? await readFacts(tool, { args, asRun: true, argsInput }, { ctx: factsContext }) : {}
  const exact = { tool: name, definition: tool.fingerprint, args }
  const digest = callDigest({ ...exact, ...facts })
  const input = argsInput ? { argsInput } : {}
  return { ok: true, edited: { ...exact, ...input, facts, digest, policies: judged.marks } }
}

/** Whether a request shows facts that may change: a preview or preconditions. */
export function hasFacts({ preview, preconditions }: EntryOf<'request.opened'>): boolean {
  return preview !== undefined || preconditions !== undefined
}

/** An edit may choose another tool only if a policy judges it. */
function mayChoose(policies: readonly BoundPolicy[], { marks }: Composed): boolean {
  return policies.length > 0 && marks.some((mark) => !mark.shadow)
}

/** The agent and frame of the model's call. */
function placeOf({ agent: root, state, opened }: AskedEdit): { agent: AgentDefinition; frame: Frame } {
  const run = openRun(state)
  const key = opened.call === undefined ? run.id : frameOf(opened.call)
  const frame = run.frames.get(key)
  const call = opened.call === undefined ? undefined : findCall(state, opened.call)
  if (!frame)
    throw new JournalInvalid({ threadId: state.threadId, seq: state.version, problem: `there is no frame ${key}` })
  return { agent: call ? ownerOf(root, call) : agentOf(root, frame), frame }
}
