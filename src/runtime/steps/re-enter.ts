import { isInsideRejected } from '../../core/queries.ts'
import type { Call } from '../../core/state.ts'
import { frameOf } from '../../protocol/ids.ts'
import { ownerOf } from '../frames/frame-agents.ts'
import type { Activation } from '../journal/activation.ts'
import { type BodyStarter, startBody } from './start-bodies.ts'

/** Enters bodies again whose process ended while they waited for people. */
export async function reenterBodies(
  parts: BodyStarter & { activation: Activation },
  calls: readonly Call[],
): Promise<void> {
  for (const call of calls)
    if (call.phase.at === 'started') ownerOf(parts.agent, call).requireTool(call.phase.release.tool)
  const { state } = parts.journal
  const { version } = state
  await parts.activation.acquire()
  // Another process may have driven it until this one got the lease, and have begun a step: the next round looks again.
  if (state.version !== version) return
  for (const { key } of calls) if (!isInsideRejected(state, frameOf(key))) startBody(parts, key, false)
}
