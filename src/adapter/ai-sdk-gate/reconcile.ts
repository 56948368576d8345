import type { ForeignCall, Gate, GateState } from '../../gate.ts'
import { checkMessages, toolPart, type UiMessage, type UiToolPart } from '../ai-sdk-page/ui-message.ts'
import { waiting } from './approval.ts'

/** What `reconcile` needs of its gate. */
export interface Reconciling {
  gate: Gate
  /** The call of a part, or undefined if its tool is not gated. Throws if its input cannot be a call. */
  callOf: (part: UiToolPart) => ForeignCall | undefined
  /** Runs a released call that the SDK would not run, since other messages follow it. Never rejects because of the tool. */
  run: (part: UiToolPart) => Promise<void>
}

/**
 * Brings the tool calls in a page's messages in line with the journal: decided elsewhere, finished, refused, made up. Messages without gated calls stay as
 * they are. The SDK runs approved calls only if they are in the last step of the last message, so released ones in other places are run here.
 */
export async function reconcile<T extends UiMessage>(reconciling: Reconciling, messages: readonly T[]): Promise<T[]> {
  checkMessages(messages)
  const result: T[] = []
  for (const [index, message] of messages.entries()) {
    const { parts, role } = message
    if (role !== 'assistant' || !parts) {
      result.push(message)
      continue
    }
    const lastStep = parts.findLastIndex((part) => (part as { type?: unknown }).type === 'step-start')
    const isLast = index === messages.length - 1
    const settled = await Promise.all(parts.map((part, at) => reconciled(reconciling, part, isLast && at > lastStep)))
    result.push({ ...message, parts: settled })
  }
  return result
}

async function reconciled(reconciling: Reconciling, part: object, runsInSdk: boolean): Promise<object> {
  const given = toolPart(part)
  // The SDK leaves out what is still streaming. A call whose input was refused has none, and its error: it was never made.
  if (!given || given.state === 'input-streaming' || isRefusedInput(given)) return part
  const { gate, callOf, run } = reconciling
  const call = callOf(given)
  if (!call) return part
  // Providers run no gated tools, whatever the page says.
  const { providerExecuted: _mark, ...tool } = given
  let state = await gate.state(call)
  // A call whose process died: judging a known call acts on that.
  if (state.status === 'unknown') [state = state] = await gate.judge([call])
  if (runsInSdk && !tool.state.startsWith('output-')) return leftToSdk(tool, state)
  const isReleased = state.status === 'released' || state.status === 'free'
  if (!isReleased) return toPart(tool, state)
  await run(tool)
  return toPart(tool, await gate.state(call))
}

function isRefusedInput({ state, input }: UiToolPart): boolean {
  return state === 'output-error' && input === undefined
}

/** A part that the page still waits for, as answered: the SDK then asks the gated tool, and tells the page what it says. */
function leftToSdk(tool: UiToolPart, state: GateState): object {
  const { reason: _reason, ...approval } = { ...tool.approval, id: tool.approval?.id ?? tool.toolCallId }
  const answered = { ...tool, state: 'approval-responded' }
  switch (state.status) {
    case 'free':
    case 'released':
    case 'finished':
      return { ...answered, approval: { ...approval, approved: true } }
    case 'refused':
      if (!state.isError) return { ...answered, approval: { ...approval, approved: true } }
      return { ...answered, approval: { ...approval, approved: false, reason: state.message } }
    case 'held':
    case 'unknown':
      // The page may still answer: only the model reads that it has to wait.
      return toPart(tool, state)
    default:
      return state satisfies never
  }
}

/** The part in the state that the journal says. */
function toPart(tool: UiToolPart, state: GateState): object {
  const { approval, ...rest } = tool
  const { output: _output, errorText: _error, preliminary: _preliminary, ...call } = rest as Record<string, unknown>
  const id = approval?.id ?? tool.toolCallId
  const denied = (reason: string): object => ({
    ...call,
    state: 'output-denied',
    approval: { ...approval, id, approved: false, reason },
  })
  const withApproval = approval ? { approval: { ...approval, approved: true } } : {}
  switch (state.status) {
    case 'free':
    case 'released':
      // It was released again while it ran.
      return denied('Not run yet.')
    case 'finished':
      if (!state.isError) return { ...call, ...withApproval, state: 'output-available', output: state.result }
      return { ...call, ...withApproval, state: 'output-error', errorText: String(state.result) }
    case 'refused':
      if (state.isError) return denied(state.message)
      return { ...call, ...withApproval, state: 'output-available', output: state.message }
    case 'held':
      return denied(waiting(state.request.id))
    case 'unknown': {
      const errorText = 'It was started, and its outcome is not known.'
      return { ...call, ...withApproval, state: 'output-error', errorText }
    }
    default:
      return state satisfies never
  }
}
