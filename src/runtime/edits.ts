import { callDigest } from '../core/digest.ts'
import { planEditRelease, planReopen } from '../core/plan/calls.ts'
import { type Call, findCall } from '../core/state.ts'
import type { EditCheck } from '../desk/decide.ts'
import type { Decision } from '../protocol/decision.ts'
import type { EntryOf } from '../protocol/entry.ts'
import type { Agent } from './agent.ts'
import { recordArgs } from './args.ts'
import type { Driver } from './driver.ts'
import { words } from './words.ts'

/** Checks a person's edit with the agent's code: the tool must exist and its schema must accept the arguments. */
export async function checkEdit(
  agent: Agent,
  opened: EntryOf<'request.opened'>,
  decision: Extract<Decision, { type: 'edit' }>,
): Promise<EditCheck> {
  const name = decision.toolName ?? opened.toolName ?? ''
  if (name !== opened.toolName)
    return { ok: false, problems: [`an edit may not change the tool from ${opened.toolName} to ${name}`] }
  const tool = agent.findTool(name)
  if (!tool)
    return {
      ok: false,
      problems: [
        words.unknownTool(
          name,
          agent.tools.map((known) => known.name),
        ),
      ],
    }
  const recorded = await recordArgs(tool, decision.args)
  if (!recorded.ok) return recorded
  const { args } = recorded
  const exact = { tool: name, definition: tool.fingerprint, args }
  return { ok: true, edited: { ...exact, digest: callDigest(exact) } }
}

/** Checks an edit that a door without the agent's code accepted: it is released, or the request opens again and says why. */
export async function settleEdit(driver: Driver, asked: Call): Promise<void> {
  if (asked.phase.at !== 'answered' || asked.phase.answer.kind !== 'decision') return
  const { request, answer } = asked.phase
  if (answer.decision.type !== 'edit') return
  const check = await checkEdit(driver.agent, request.opened, answer.decision)
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
