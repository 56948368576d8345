import type { AgentRef, Entry, ShownPiece } from '../../protocol/entries/entry.ts'
import { JournalInvalid } from '../../protocol/errors/errors.ts'
import type { CallKey } from '../../protocol/ids.ts'
import { type JsonValue, jsonEqual } from '../../protocol/json/json.ts'
import type { Message, ToolResult } from '../../protocol/message.ts'
import { findCall, isRoot } from '../queries.ts'
import type { Frame, Run, ThreadState } from '../state.ts'
import { planFinish } from './calls.ts'

/** Ends a frame with its last answer. The root ends the run; a nested frame finishes the call that opened it. */
export function planFrameEnd(
  state: ThreadState,
  { run, frame }: { run: Run; frame: Frame },
  result: ToolResult | undefined,
): Entry[] {
  if (isRoot(run, frame)) return [{ v: 1, type: 'run.settled', run: run.id, status: 'completed' }]
  const key = frame.key as CallKey
  const call = findCall(state, key)
  if (!call || !result)
    throw new JournalInvalid({ threadId: state.threadId, seq: state.version, problem: `frame ${key} has no result` })
  return planFinish(state, key, { attempt: call.attempts, result })
}

/** The agent that takes over a frame, and the part of the conversation that it sees, if not all of it. */
export interface AgentChange {
  agent: AgentRef
  filtered?: { of: readonly Message[]; shown: readonly Message[] }
}

/** Lets another agent continue in a frame. */
export function planAgentChange(frame: string, { agent, filtered }: AgentChange): Entry {
  const changed: Entry = { v: 1, type: 'agent.changed', frame, agent }
  return filtered ? { ...changed, shown: compress(filtered.shown, filtered.of) } : changed
}

/** Stores messages that are already in the conversation as positions. */
function compress(shown: readonly Message[], messages: readonly Message[]): ShownPiece[] {
  const pieces: ShownPiece[] = []
  let next = 0
  for (const message of shown) {
    const at = messages.findIndex((one, i) => i >= next && same(one, message))
    if (at < 0) {
      pieces.push(message)
      continue
    }
    const last = pieces.at(-1)
    if (last && 'from' in last && last.to === at) last.to = at + 1
    else pieces.push({ from: at, to: at + 1 })
    next = at + 1
  }
  return pieces
}

function same(one: Message, other: Message): boolean {
  return one === other || jsonEqual(one as unknown as JsonValue, other as unknown as JsonValue)
}
