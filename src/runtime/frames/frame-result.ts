import { editedResult, errorResult, textResult } from '../../core/plan/results.ts'
import { findCall } from '../../core/queries.ts'
import type { Call, Frame, Release } from '../../core/state.ts'
import { GuardrailTripped, type HoldpointError, messageOf, ToolInvalid } from '../../protocol/errors/errors.ts'
import type { CallKey } from '../../protocol/ids.ts'
import { cloneMessages, type Message, type ToolResult, textOf } from '../../protocol/message.ts'
import type { AgentDefinition, SpecialTool } from '../definition/definition.ts'
import { guardResult } from '../definition/guardrails.ts'
import { resultAfter } from '../definition/hooks.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { boundedResult } from '../definition/size-limits.ts'
import { guarded, hookOf } from './call-hook.ts'
import { ownerOf, type RunParts } from './frame-agents.ts'

/** The result of the call that opened a frame. `error` stops the run, after the result was recorded. */
export interface FrameResult {
  result: ToolResult
  error?: HoldpointError
}

/** Returns the result of the call that opened a frame which ends with this message. `undefined` for the root frame, which no call opened. */
export async function frameResult(parts: RunParts, frame: Frame, last: Message): Promise<FrameResult | undefined> {
  const call = openingCall(parts, frame)
  if (call?.phase.at !== 'started') return undefined
  const { release } = call.phase
  const owner = ownerOf(parts.agent, call)
  const { special, outputGuardrails } = owner.requireTool(release.tool)
  // An answer that was held by a gate is already in the conversation.
  const messages = frame.messages.at(-1) === last ? frame.messages.all : [...frame.messages, last]
  const given = textResult(await extract(special, release.tool, { finalOutput: textOf(last.content), messages }))
  const noted = (result: ToolResult): ToolResult =>
    boundedResult(owner, parts.journal.store, release.edited ? editedResult(result, release) : result)
  let instead: string | undefined
  try {
    instead = await guardResult(outputGuardrails, { ...guarded(parts, call, release), result: given })
  } catch (error) {
    if (!(error instanceof GuardrailTripped)) throw error
    return { result: noted(errorResult(modelMessages.withheld(release.tool))), error }
  }
  const result = noted(instead === undefined ? given : errorResult(instead))
  if (owner.middleware.length === 0) return { result }
  const hooked = await hookedAfter(parts, owner, { call, release, result })
  return { ...hooked, result: boundedResult(owner, parts.journal.store, hooked.result) }
}

async function hookedAfter(
  parts: RunParts,
  owner: AgentDefinition,
  { call, release, result }: { call: Call; release: Release; result: ToolResult },
): Promise<FrameResult> {
  try {
    return await resultAfter(owner, hookOf(parts, call, release), result)
  } catch (error) {
    return { result: errorResult(modelMessages.failed(messageOf(error))) }
  }
}

async function extract(
  special: SpecialTool | undefined,
  tool: string,
  { finalOutput, messages }: { finalOutput: string; messages: readonly Message[] },
): Promise<string> {
  if (special?.kind !== 'agent' || !special.output) return finalOutput
  let text: unknown
  try {
    text = await special.output({ finalOutput, messages: cloneMessages(messages) })
  } catch (error) {
    throw new ToolInvalid(tool, `its customOutputExtractor threw: ${messageOf(error)}`, error)
  }
  if (typeof text !== 'string') throw new ToolInvalid(tool, 'its customOutputExtractor must return a string')
  return text
}

function openingCall(parts: RunParts, frame: Frame): Call | undefined {
  const { run } = parts.journal.state
  return run && frame.key !== run.id ? findCall(parts.journal.state, frame.key as CallKey) : undefined
}
