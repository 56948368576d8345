import { type ForeignCall, type Gate, type GateState, pendingRequest } from '../../gate.ts'
import { isFromHistory, shownMessages } from './gated-call.ts'
import type { SdkModelMessage } from './sdk-tool.ts'

/** What `toolApproval` of the AI SDK 7 may answer. */
export type ApprovalStatus =
  | { type: 'not-applicable' }
  | { type: 'approved' | 'denied' | 'user-approval'; reason?: string }

/** The state of a call that the SDK asks about, and whether it was read from the history. */
interface Asked {
  state: GateState
  fromHistory: boolean
}

/** Judges a call that the model has just made, or reads what was recorded about one of the history. */
async function ask(gate: Gate, call: ForeignCall, messages: readonly SdkModelMessage[] | undefined): Promise<Asked> {
  const fromHistory = isFromHistory(messages, String(call.callId))
  const state = fromHistory ? await gate.state(call) : undefined
  // A call that was started and has not ended: judging it acts on that, and opens nothing, since it is known.
  if (state && state.status !== 'unknown') return { state, fromHistory }
  const shown = shownMessages(messages)
  const [judged] = await gate.judge([shown.length > 0 ? { ...call, messages: shown } : call])
  return { state: judged!, fromHistory }
}

/** The answer of `toolApproval` in the AI SDK 7. A gate that fails denies. */
export async function approvalStatus(
  gate: Gate,
  call: () => Promise<ForeignCall>,
  messages: readonly SdkModelMessage[] | undefined,
): Promise<ApprovalStatus> {
  try {
    const { state, fromHistory } = await ask(gate, await call(), messages)
    return statusOf(state, fromHistory)
  } catch (error) {
    return { type: 'denied', reason: `Not run: the gate failed (${(error as Error).message}).` }
  }
}

function statusOf(state: GateState, fromHistory: boolean): ApprovalStatus {
  const allowed: ApprovalStatus = fromHistory ? { type: 'approved' } : { type: 'not-applicable' }
  switch (state.status) {
    case 'free':
    case 'released':
    case 'finished':
      return allowed
    case 'refused':
      // A person's answer in place of the result: the wrapped tool returns it.
      return state.isError ? { type: 'denied', reason: state.message } : allowed
    case 'held':
      return fromHistory ? { type: 'denied', reason: waiting(state.request.id) } : asked(state.request)
    case 'unknown':
      if (state.request && !fromHistory) return asked(state.request)
      return { type: 'denied', reason: state.request ? waiting(state.request.id) : UNKNOWN }
    default:
      return state satisfies never
  }
}

const UNKNOWN = 'Not run again: it was started, and its outcome is not known.'

/** What the model reads about a call that waits for a person. */
export function waiting(requestId: string): string {
  return `Not run yet: a person has to decide about this call first (request ${requestId}).`
}

function asked({ description }: { description?: string }): ApprovalStatus {
  return { type: 'user-approval', ...(description === undefined ? {} : { reason: description }) }
}

/**
 * The answer of `needsApproval` in the AI SDK 6, which knows no denial. `false` lets the SDK call the wrapped tool, which refuses what nobody has released.
 * For a call of the history it is always `true`: `false` would make the SDK refuse what a person has approved.
 */
export async function approvalNeeded(
  gate: Gate,
  call: () => Promise<ForeignCall>,
  messages: readonly SdkModelMessage[] | undefined,
): Promise<boolean> {
  try {
    const { state, fromHistory } = await ask(gate, await call(), messages)
    return fromHistory || pendingRequest(state) !== undefined
  } catch {
    // The wrapped tool asks the gate again, and fails with its error.
    return false
  }
}
