import { planRefusals, planRetry } from '../../core/plan/calls.ts'
import { errorResult } from '../../core/plan/results.ts'
import { findCall } from '../../core/queries.ts'
import type { Call, ThreadState } from '../../core/state.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { ownerOf } from '../frames/frame-agents.ts'
import { mayDropLease } from '../journal/may-drop-lease.ts'
import { askAgain } from './ask-again.ts'
import { type CallStarter, type CheckedRelease, checkReleases } from './start.ts'
import { startBodies } from './start-bodies.ts'

/** Handles calls whose process ended while they ran: retries, fails or asks, according to `onUnknownOutcome`. */
export async function resolveUnknown(parts: CallStarter, calls: readonly Call[]): Promise<void> {
  const { activation } = parts
  await activation.acquire()
  const checks = await checkReleases(parts, calls)
  await activation.ensureMargin()
  const entries = await activation.write((state) => {
    const planned = calls.flatMap(({ key }) => {
      const call = findCall(state, key)
      const check = checks.get(key)
      if (call?.phase.at !== 'started' || check?.release !== call.phase.release) return []
      return planUnknown(parts, { state, call }, check)
    })
    return planned.length > 0 ? { entries: planned, drop: mayDropLease(state, planned) } : undefined
  })
  if (entries) startBodies(parts, entries)
}

function planUnknown(
  parts: CallStarter,
  { state, call }: { state: ThreadState; call: Call },
  { release, clearance }: CheckedRelease,
): Entry[] {
  const tool = ownerOf(parts.agent, call).requireTool(release.tool)
  // A call that was handed over is here only because people are to be asked about it.
  const onUnknownOutcome = call.handedOver ? 'ask' : tool.onUnknownOutcome
  if (onUnknownOutcome === 'fail') {
    return planRefusals([{ call, cause: 'unknown', result: errorResult(modelMessages.unknownOutcome(call.tool)) }])
  }
  if (onUnknownOutcome === 'retry' && clearance.kind === 'start')
    return planRetry(call, release, state.run?.driver === 'external' ? undefined : clearance.start)
  const { digest, definition, facts } = release
  const now = clearance.kind === 'ask' ? clearance.ask : {}
  return [askAgain(parts, { state, call }, { release, digest, definition, facts, ...now, reason: 'unknown_outcome' })]
}
