import { openRun } from '../../core/open-run.ts'
import type { AgentChange } from '../../core/plan/frames.ts'
import { errorResult } from '../../core/plan/results.ts'
import { findCall, isSettled, shownMessages } from '../../core/queries.ts'
import type { Call } from '../../core/state.ts'
import { soundHistory } from '../../core/views/history.ts'
import { AgentInvalid } from '../../protocol/errors/errors.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import { jsonProblem } from '../../protocol/json/json.ts'
import { cloneMessages, type Message, message, type ToolResult } from '../../protocol/message.ts'
import { callContext, ownerOf, type RunParts } from './frame-agents.ts'

/** Returns the agent that takes over after a hand-off's body ended, and the messages that it is shown. */
export async function changeOf(parts: RunParts, key: CallKey, result: ToolResult): Promise<AgentChange | undefined> {
  const { state } = parts.journal
  const call = findCall(state, key)
  const frame = state.run?.frames.get(frameOf(key))
  if (!call?.handoff || call.phase.at !== 'started' || !frame || result.isError) return undefined
  const { special } = ownerOf(parts.agent, call).requireTool(call.phase.release.tool)
  if (special?.kind !== 'handoff') return undefined
  const agent = parts.agent.graph.refOf(special.agent)
  if (!special.inputFilter) return { agent }
  const results = frame.calls.map((one) => resultMessage(one, one.key === key ? result : undefined))
  const of = [...frame.messages, ...results]
  const seen = [...shownMessages(frame), ...results]
  const runContext = callContext(state, openRun(state), key)
  return {
    agent,
    filtered: { of, shown: checkShown(await special.inputFilter({ messages: cloneMessages(seen), runContext })) },
  }
}

function resultMessage(call: Call, own: ToolResult | undefined): Message {
  const result = own ?? (isSettled(call) ? call.phase.result : errorResult(''))
  return { role: 'tool', toolCallId: call.id, toolName: call.tool, ...result }
}

function checkShown(shown: unknown): Message[] {
  const problem = jsonProblem(shown, 'messages')
  const parsed = problem ? undefined : message().array().safeParse(shown)
  if (!parsed?.success)
    throw new AgentInvalid(`An inputFilter must return an array of messages${problem ? `: ${problem}` : ''}.`)
  // A filter may cut between a call and its result. Providers refuse one without the other.
  const sound = soundHistory(cloneMessages(parsed.data as Message[]))
  if (sound.length === 0) throw new AgentInvalid('An inputFilter left no messages for the next agent.')
  return sound
}
