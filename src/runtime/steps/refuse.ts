import { openRun } from '../../core/open-run.ts'
import { planRefusals } from '../../core/plan/calls.ts'
import { errorResult, textResult } from '../../core/plan/results.ts'
import { closedWait, findCall } from '../../core/queries.ts'
import type { Call } from '../../core/state.ts'
import { withoutReason } from '../../ports/provider-approval.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import type { ToolResult } from '../../protocol/message.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { callContext, ownerOf, type RunParts } from '../frames/frame-agents.ts'
import type { Activation } from '../journal/activation.ts'
import { mayDropLease } from '../journal/may-drop-lease.ts'
import { formatRefusal, type RefusalFormat } from './format-refusal.ts'
import { onceInEffect } from './once-in-effect.ts'

/** Dependencies of `refuseCalls`. */
interface Refuser extends RunParts, RefusalFormat {
  readonly activation: Activation
}

/** Records the results of calls that were rejected, answered with a message, cancelled or expired. */
export async function refuseCalls(parts: Refuser, calls: readonly Call[]): Promise<void> {
  const refusals = await Promise.all(
    calls.map(async (call) => ({ key: call.key, phase: call.phase, ...(await refusalOf(parts, call)) })),
  )
  await parts.activation.write((state) => {
    const entries = refusals.flatMap(({ key, phase, cause, result }) => {
      const call = findCall(state, key)
      // The answer may have been withdrawn meanwhile, and another one given.
      return call?.phase === phase ? planRefusals([{ call, cause, result }]) : []
    })
    if (entries.length === 0) return undefined
    return onceInEffect(parts.journal, state, { entries, drop: mayDropLease(state, entries) })
  })
}

/** How the request about a call, or a question of its body, was closed without an answer. */
function closedAnswer(
  call: Call,
): { status: EntryOf<'request.closed'>['status']; reason: string | undefined } | undefined {
  if (call.phase.at !== 'answered') return closedWait(call)
  return call.phase.answer.kind === 'closed' ? call.phase.answer : undefined
}

function closedWords({ phase }: Call, closed: { status: string; reason: string | undefined }): string {
  const started = phase.at === 'started'
  if (closed.status === 'expired') return started ? modelMessages.waitExpired : modelMessages.expired
  return started ? modelMessages.waitCancelled(closed.reason) : modelMessages.cancelled(closed.reason)
}

/** The result of a call that was rejected, answered in the tool's place, cancelled or expired. */
export async function refusalOf(
  parts: RunParts & RefusalFormat,
  call: Call,
): Promise<{ cause: EntryOf<'call.refused'>['cause']; result: ToolResult }> {
  const closed = closedAnswer(call)
  if (closed) {
    return { cause: closed.status, result: errorResult(closedWords(call, closed)) }
  }
  if (call.phase.at !== 'answered' || call.phase.answer.kind === 'closed')
    throw new Error(`call ${call.key} was not answered`)
  const { answer, unknown } = call.phase
  const { decision } = answer
  switch (decision.type) {
    case 'respond':
      return { cause: 'responded', result: textResult(decision.message) }
    case 'reject':
      if (unknown)
        return {
          cause: 'unknown',
          result: errorResult(spoken(decision.message) ?? modelMessages.unknownOutcome(call.tool)),
        }
      return { cause: 'rejected', result: await rejectedResult(parts, call, spoken(decision.message)) }
    case 'approve':
    case 'edit':
      throw new Error(`call ${call.key} was not refused`)
    default:
      return decision satisfies never
  }
}

/** Returns `undefined` for a blank message, which providers refuse as a result. */
function spoken(message: string | undefined): string | undefined {
  return message?.trim() === '' ? undefined : message
}

/** What the model reads of a rejection. A provider that asked is told no reason if there is none. */
async function rejectedResult(
  parts: RunParts & RefusalFormat,
  call: Call,
  message: string | undefined,
): Promise<ToolResult> {
  const result = errorResult(message ?? (await rejectedText(parts, call)))
  const isUnexplained = result.content === modelMessages.rejected(call.tool)
  return isUnexplained && ownerOf(parts.agent, call).findHosted(call.tool) ? withoutReason(result) : result
}

function rejectedText(parts: RunParts & RefusalFormat, call: Call): Promise<string> {
  const { state } = parts.journal
  return formatRefusal(parts, ownerOf(parts.agent, call), {
    kind: 'approval_rejected',
    runContext: callContext(state, openRun(state), call.key),
    toolName: call.tool,
    callId: call.id,
    defaultMessage: modelMessages.rejected(call.tool),
  })
}
