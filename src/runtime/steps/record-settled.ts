import { planFinish, planNotBegun, planRefusals } from '../../core/plan/calls.ts'
import { type AgentChange, planAgentChange } from '../../core/plan/frames.ts'
import { errorResult } from '../../core/plan/results.ts'
import { findCall } from '../../core/queries.ts'
import type { ThreadState } from '../../core/state.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { messageOf } from '../../protocol/errors/errors.ts'
import { frameOf } from '../../protocol/ids.ts'
import type { Bodies } from '../body/bodies.ts'
import type { SettledAttempt } from '../body/body-end.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { boundedResult } from '../definition/size-limits.ts'
import { ownerOf, type RunParts } from '../frames/frame-agents.ts'
import { changeOf } from '../frames/hand-over.ts'
import { type Activation, LeaseLost } from '../journal/activation.ts'
import { mayDropLease } from '../journal/may-drop-lease.ts'

/** Dependencies of `recordSettled`. */
export interface SettledRecorder extends RunParts {
  readonly activation: Activation
  readonly bodies: Bodies
  readonly signal: AbortSignal
}

/** Records how bodies ended. Then throws the error of a misuse, or `LeaseLost` if the lease was lost before a body began. */
export async function recordSettled(parts: SettledRecorder, settled: readonly SettledAttempt[]): Promise<void> {
  const attempts = await reportSettled(parts, settled)
  for (const { end } of attempts) if ('error' in end && end.error) throw end.error
  if (!parts.signal.aborted && attempts.some(({ end }) => end.kind === 'not-begun')) throw new LeaseLost()
}

/** Records in one append how several bodies ended. */
export async function reportSettled(
  parts: SettledRecorder,
  settled: readonly SettledAttempt[],
): Promise<readonly SettledAttempt[]> {
  let attempts = settled
  try {
    attempts = await Promise.all(settled.map((attempt) => withHandoff(parts, bounded(parts, attempt))))
    await parts.activation.report((state) => {
      const entries = attempts.flatMap((attempt) => planEnd(state, attempt))
      return { entries, drop: mayDropLease(state, entries) }
    })
  } catch (error) {
    // The store may recover: keep the ends for the next attempt.
    parts.bodies.giveBack(attempts)
    throw error
  }
  return attempts
}

/** Replaces a result that is too long to store. */
function bounded({ agent, journal }: SettledRecorder, settled: SettledAttempt): SettledAttempt {
  const { key, end } = settled
  if (end.kind !== 'finished') return settled
  const call = findCall(journal.state, key)
  const result = boundedResult(call ? ownerOf(agent, call) : agent, journal.store, end.result)
  return result === end.result ? settled : { ...settled, end: { ...end, result } }
}

/** Adds the next agent to the end of a hand-off's body. If its inputFilter fails, there is no hand-off and the model reads why. */
async function withHandoff(
  parts: SettledRecorder,
  settled: SettledAttempt,
): Promise<SettledAttempt & { change?: AgentChange }> {
  const { key, end } = settled
  if (end.kind !== 'finished' || !findCall(parts.journal.state, key)?.handoff) return settled
  try {
    const change = await changeOf(parts, key, end.result)
    return change ? { ...settled, change } : settled
  } catch (error) {
    return { ...settled, end: { kind: 'finished', result: errorResult(modelMessages.failed(messageOf(error))) } }
  }
}

function planEnd(
  state: ThreadState,
  { key, attempt, end, change }: SettledAttempt & { change?: AgentChange },
): Entry[] {
  switch (end.kind) {
    case 'finished': {
      const finished = planFinish(state, key, { attempt, result: end.result })
      return finished.length > 0 && change ? [...finished, planAgentChange(frameOf(key), change)] : finished
    }
    case 'refused': {
      const call = findCall(state, key)
      const unsettled = call?.phase.at === 'started' && call.attempts === attempt
      return unsettled ? planRefusals([{ call, cause: end.cause, result: end.result }]) : []
    }
    case 'not-begun':
      return end.fresh ? planNotBegun(state, key, attempt) : []
    case 'left':
    case 'misused':
      return []
    default:
      return end satisfies never
  }
}
