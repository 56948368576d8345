import type { Start } from '../../core/plan/calls.ts'
import type { Call, Release } from '../../core/state.ts'
import { HoldpointError, messageOf, PolicyFailed } from '../../protocol/errors/errors.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { guardCall } from '../definition/guardrails.ts'
import { type HookRefusal, refusalBefore } from '../definition/hooks.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { guarded, hookOf } from './call-hook.ts'
import { ownerOf, type RunParts } from './frame-agents.ts'

/** Runs guardrails and hooks before a released call starts. Returns how it starts (with the input of a nested run) or why it is refused. */
export async function prepareStart(
  parts: RunParts,
  call: Call,
  release: Release,
): Promise<{ start: Start } | { refuse: string }> {
  const owner = ownerOf(parts.agent, call)
  const { special, resumable, inputGuardrails } = owner.requireTool(release.tool)
  const said = inputGuardrails.length > 0 ? await guardCall(inputGuardrails, guarded(parts, call, release)) : undefined
  if (said !== undefined) return { refuse: said }
  if (special?.kind !== 'agent') return { start: { resumable } }
  const refused = owner.middleware.length > 0 ? await hookedBefore(parts, owner, { call, release }) : undefined
  if (refused?.error) throw refused.error
  if (refused) return { refuse: modelMessages.denied(refused.text) }
  const { graph } = parts.agent
  const agent = graph.refOf(special.agent)
  const input = await special.toInput(release)
  const { maxTurns } = special
  if (!special.toContext) return { start: { resumable, frame: { agent, input, maxTurns } } }
  const context = await special.toContext(release, hookOf(parts, call, release).runContext)
  return { start: { resumable, frame: { agent, input, maxTurns, context } } }
}

/** An error in a hook fails the call, as in a body. A `HoldpointError` is a misuse and is thrown. */
async function hookedBefore(
  parts: RunParts,
  owner: AgentDefinition,
  { call, release }: { call: Call; release: Release },
): Promise<HookRefusal | undefined> {
  const hook = { ...hookOf(parts, call, release), hold: cannotHold(release.tool) }
  try {
    return await refusalBefore(owner, hook)
  } catch (error) {
    if (HoldpointError.isInstance(error)) throw error
    return { text: modelMessages.failed(messageOf(error)) }
  }
}

/** `hold` for an agent that is called as a tool: it has no body that could wait. */
function cannotHold(tool: string): () => Promise<never> {
  const why = `beforeTool cannot hold ${tool}, which is an agent: use needsApproval or a policy`
  return () => Promise.reject(new PolicyFailed(tool, why))
}
