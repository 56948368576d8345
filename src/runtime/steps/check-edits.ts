import { openRun } from '../../core/open-run.ts'
import { planAskAgain } from '../../core/plan/ask-again.ts'
import { planEditRelease, planRefusals, planReopen } from '../../core/plan/calls.ts'
import { errorResult } from '../../core/plan/results.ts'
import { findCall } from '../../core/queries.ts'
import type { Call, CallFacts } from '../../core/state.ts'
import { editOf } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import { FactsUnstable } from '../../protocol/errors/errors.ts'
import { frameOf } from '../../protocol/ids.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { ownerOf, type RunParts } from '../frames/frame-agents.ts'
import type { Activation } from '../journal/activation.ts'
import { checkEdit, hasFacts } from '../judging/check-edit.ts'
import { type ChangedCall, changedSince, type FactsSource, MAX_ROUNDS } from '../judging/exact-call.ts'
import { onceInEffect } from './once-in-effect.ts'

/** Dependencies of `settleEdit`. */
interface EditChecker extends RunParts, FactsSource {
  readonly activation: Activation
  readonly newId: IdSource
}

/**
 * Checks an edit before it is released. If the original call has changed since its author saw it, they are asked again. Then the edit itself is
 * checked: it is released, or the request opens again with the reasons.
 */
export async function settleEdit(parts: EditChecker, asked: Call): Promise<void> {
  const { phase } = asked
  if (phase.at !== 'answered' || phase.answer.kind !== 'decision') return
  const { request, answer } = phase
  const decision = editOf(answer.decision)
  if (!decision) return
  const { agent, policies } = parts
  const { state } = parts.journal
  const { opened } = request
  const changed = await changedForEditor(parts, asked, opened)
  if (changed) return askEditor(parts, { asked, phase }, { opened, changed })
  const edit = { agent, policies, state, opened, decision, by: answer.by }
  const check = await checkEdit(edit, parts.factsContext(frameOf(asked.key)))
  if (!check) return
  await parts.activation.write((state) => {
    const call = findCall(state, asked.key)
    // The edit may have been withdrawn meanwhile, and another one made.
    if (call?.phase !== phase) return undefined
    const by = { kind: 'system', id: 'holdpoint' } as const
    const entries = check.ok
      ? [planEditRelease(call, { ...check.edited, by: answer.by, request: request.opened.id })]
      : planReopen(call, { cause: 'edit_refused', by, problems: check.problems })
    return onceInEffect(parts.journal, state, { entries })
  })
}

/** How the original call differs from what the author of an edit was shown. */
async function changedForEditor(
  parts: EditChecker,
  call: Call,
  opened: EntryOf<'request.opened'>,
): Promise<ChangedCall | undefined> {
  const { toolName, args, digest } = opened
  if (toolName === undefined || !args || digest === undefined || !hasFacts(opened)) return undefined
  const tool = ownerOf(parts.agent, call).requireTool(toolName)
  const shown = {
    tool: toolName,
    args,
    asRun: opened.asRun === true,
    argsInput: opened.argsInput,
    facts: factsOf(opened),
    digest,
  }
  return changedSince(tool, shown, parts.factsContext(frameOf(call.key)))
}

function factsOf({ preview, previewCompare, preconditions }: EntryOf<'request.opened'>): CallFacts {
  return {
    ...(preview === undefined ? {} : { preview }),
    ...(previewCompare === undefined ? {} : { previewCompare }),
    ...(preconditions === undefined ? {} : { preconditions }),
  }
}

/** Asks again, showing the original call as it is now. Refuses the call instead if it has changed `MAX_ROUNDS` times. */
async function askEditor(
  parts: EditChecker,
  { asked, phase }: { asked: Call; phase: Call['phase'] },
  { opened, changed }: { opened: EntryOf<'request.opened'>; changed: ChangedCall },
): Promise<void> {
  const { toolName: tool = '', args = {}, argsInput } = opened
  const { members, ...now } = changed
  const unstable = asked.changes + 1 >= MAX_ROUNDS
  const entries = await parts.activation.write((state) => {
    const call = findCall(state, asked.key)
    if (call?.phase !== phase) return undefined
    const release = { tool, args, asRun: opened.asRun === true, argsInput }
    const ask = { id: parts.newId(), now: parts.journal.now(), reason: 'changed' as const, release, ...now }
    const entries = unstable
      ? planRefusals([{ call, cause: 'denied', result: errorResult(modelMessages.unstable(tool)) }])
      : [planAskAgain(openRun(state), call, ask)]
    return onceInEffect(parts.journal, state, { entries })
  })
  if (entries && unstable) throw new FactsUnstable(tool, members, MAX_ROUNDS)
}
