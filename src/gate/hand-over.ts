import { planFinish } from '../core/plan/calls.ts'
import { editedResult, errorResult } from '../core/plan/results.ts'
import { callsOf } from '../core/queries.ts'
import type { Call } from '../core/state.ts'
import { NEVER } from '../ports/signals.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { type JsonValue, jsonProblem } from '../protocol/json/json.ts'
import type { ToolResult } from '../protocol/message.ts'
import { idleBehind } from '../runtime/loop/idle.ts'
import { isHandedOver } from './call-index.ts'
import { callState, NEVER_JUDGED } from './call-state.ts'
import type { CallThread } from './call-thread.ts'
import { type Calls, isReleased } from './calls.ts'
import { notReleased } from './execute.ts'
import { resultOf } from './foreign-agent.ts'
import { expectEnd } from './overdue.ts'
import type { ForeignCall, GateState } from './types.ts'
import { callOfUse, forgetUse, noteUse } from './uses.ts'

/** Spends the release of a call that the host runs itself. One caller is answered `released`; later ones read what is known of the call. */
export async function spend(calls: Calls, call: ForeignCall): Promise<GateState> {
  return calls.take(call, isReleased, async (found) => {
    if (!found) return NEVER_JUDGED
    const { thread } = found
    const by = calls.settings.newId()
    await expectEnd(calls.settings, thread)
    await handOver(thread, by)
    const [started] = callsOf(thread.journal.state)
    if (started?.phase.at !== 'started' || started.handedOver?.by !== by) {
      const state = await callState(thread)
      await thread.deliver()
      return state
    }
    const { release } = started.phase
    const { threadId } = thread.journal.state
    await noteUse(calls.settings, call, { threadId, edited: release.edited ? release.args : undefined })
    const known = { callKey: started.key, digest: release.digest, threadId }
    return { status: 'released', args: structuredClone(release.args), by: { ...release.by }, call: known }
  })
}

async function handOver(thread: CallThread, by: string): Promise<void> {
  for (;;) {
    await thread.journal.catchUp()
    if (callsOf(thread.journal.state)[0]?.phase.at === 'started') return
    if ((await thread.move({ asks: 'hand-over', by })) === 'moved') return
    await idleBehind({ journal: thread.journal, signal: NEVER })
  }
}

/** Records how a call ended that was handed over. The first end counts. Throws `HoldpointNotReleased` if it was not handed over. */
export async function finished(
  calls: Calls,
  call: ForeignCall,
  end: { result?: JsonValue; error?: string },
): Promise<void> {
  const ended = checkEnd(end)
  const thread = await inHand(calls, call)
  if (!thread) throw notReleased(call, NEVER_JUDGED)
  await thread.journal.write((state) => {
    const [started] = callsOf(state)
    if (started?.handedOver === undefined) return undefined
    const result = endOf(started, ended)
    const entries = planFinish(state, started.key, { attempt: started.attempts, result })
    return entries.length > 0 ? { entries } : undefined
  })
  const state = await callState(thread)
  if (state.status !== 'finished') throw notReleased(call, state)
  await thread.deliver()
  if (call.useId !== undefined) await forgetUse(calls.settings, call)
}

/** The call whose end a host reports: of this use, else one with these arguments that is handed over, else one that was edited to them. */
async function inHand(calls: Calls, call: ForeignCall): Promise<CallThread | undefined> {
  const used = call.useId === undefined ? undefined : await callOfUse(calls.settings, call)
  if (used) return used
  const equal = (await calls.find(call, isHandedOver))?.thread
  if (equal && isHandedOver(equal)) return equal
  const { useId: _, ...edited } = call
  return (await callOfUse(calls.settings, edited)) ?? equal
}

/** The result to store. Like that of a call that ran here, it says so if a person changed the call. */
function endOf({ phase }: Call, { result, error }: { result: JsonValue; error: string | undefined }): ToolResult {
  const release = 'release' in phase ? phase.release : undefined
  const edited = release?.edited ?? false
  const plain = error === undefined ? resultOf(result, edited) : errorResult(error)
  return release && edited ? editedResult(plain, release) : plain
}

function checkEnd(end: { result?: JsonValue; error?: string }): { result: JsonValue; error: string | undefined } {
  requireKnown('finished()', end, ['result', 'error'])
  const { result = null, error } = end ?? {}
  if (error !== undefined && typeof error !== 'string') throw new InputInvalid('error of finished() must be a string.')
  const problem = jsonProblem(result, 'result')
  if (problem) throw new InputInvalid(`result of finished() must be plain JSON: ${problem}.`)
  return { result, error }
}
