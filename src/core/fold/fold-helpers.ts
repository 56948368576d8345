import { JournalInvalid } from '../../protocol/errors/errors.ts'
import type { CallKey } from '../../protocol/ids.ts'
import { openRun } from '../open-run.ts'
import { findCall } from '../queries.ts'
import type { AskedRequest, Call, Frame, Release, ThreadState } from '../state.ts'

/** The latest request about a call that still matters. */
export function requestOf(call: Call): { request: AskedRequest; unknown?: Release } | undefined {
  switch (call.phase.at) {
    case 'held':
    case 'answered':
    case 'released': {
      const { request, unknown } = call.phase
      if (!request) return undefined
      return unknown ? { request, unknown } : { request }
    }
    default:
      return undefined
  }
}

/** Shared by all frames, which replace it. */
export const NO_NOTES: Frame['notes'] = new Set()

/** A frame in which nothing has happened yet. */
export function newFrame({
  key,
  agent,
  messages,
  maxTurns,
  context,
}: Pick<Frame, 'key' | 'agent' | 'messages' | 'maxTurns' | 'context'>): Frame {
  return {
    key,
    agent,
    messages,
    maxTurns,
    context,
    way: [agent],
    shown: undefined,
    turn: 0,
    answered: false,
    calls: [],
    settled: 0,
    outcomes: [],
    queued: [],
    notes: NO_NOTES,
    cleared: 0,
    gate: undefined,
  }
}

/** A frame of the open run. */
export function frame(state: ThreadState, key: string): Frame {
  const found = openRun(state).frames.get(key)
  if (!found) throw invalid(state, `there is no frame ${key}`)
  return found
}

/** A call of the current turn. */
export function need(state: ThreadState, key: CallKey): Call {
  const call = findCall(state, key)
  if (!call) throw invalid(state, `there is no call ${key}`)
  return call
}

/** The error for an entry that cannot follow the entries before it. */
export function invalid(state: ThreadState, problem: string, cause?: unknown): JournalInvalid {
  return new JournalInvalid({ threadId: state.threadId, seq: state.version, problem, cause })
}
