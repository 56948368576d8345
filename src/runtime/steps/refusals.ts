import { planRefusals } from '../../core/plan/calls.ts'
import { errorResult, textResult } from '../../core/plan/results.ts'
import { type Call, closedWait, findCall } from '../../core/state.ts'
import type { EntryOf } from '../../protocol/entry.ts'
import type { ToolResult } from '../../protocol/message.ts'
import { words } from '../definition/model-messages.ts'
import { onlyPeopleAfter } from '../journal/may-drop-lease.ts'
import { type Driver, formatRefusal, openRun } from '../loop/driver.ts'
import { callContext, ownerOf } from './frame-agents.ts'

/** Writes the results of calls that were answered with a no, with words, or by time. */
export async function refuseCalls(driver: Driver, calls: readonly Call[]): Promise<void> {
  const refusals = await Promise.all(calls.map(async (call) => ({ key: call.key, ...(await refusalOf(driver, call)) })))
  await driver.activation.write((state) => {
    const entries = refusals.flatMap(({ key, cause, result }) => {
      const call = findCall(state, key)
      return call && (call.phase.at === 'answered' || closedAnswer(call)) ? planRefusals([{ call, cause, result }]) : []
    })
    return entries.length > 0 ? { entries, drop: onlyPeopleAfter(state, entries) } : undefined
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
  if (closed.status === 'expired') return started ? words.waitExpired : words.expired
  return started ? words.waitCancelled(closed.reason) : words.cancelled(closed.reason)
}

async function refusalOf(
  driver: Driver,
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
        return { cause: 'unknown', result: errorResult(spoken(decision.message) ?? words.unknownOutcome(call.tool)) }
      return { cause: 'rejected', result: errorResult(spoken(decision.message) ?? (await rejectedText(driver, call))) }
    case 'approve':
    case 'edit':
      throw new Error(`call ${call.key} was not refused`)
    default:
      return decision satisfies never
  }
}

/** A stored message may be blank, which no provider takes as a result. */
function spoken(message: string | undefined): string | undefined {
  return message?.trim() === '' ? undefined : message
}

function rejectedText(driver: Driver, call: Call): Promise<string> {
  const { state } = driver.journal
  return formatRefusal(driver, ownerOf(driver.agent, call), {
    kind: 'approval_rejected',
    runContext: callContext(state, openRun(state), call.key),
    toolName: call.tool,
    callId: call.id,
    defaultMessage: words.rejected(call.tool),
  })
}
