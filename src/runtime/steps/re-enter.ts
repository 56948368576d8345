import type { Call } from '../../core/state.ts'
import { ownerOf } from '../frames/frame-agents.ts'
import type { Activation } from '../journal/activation.ts'
import { type BodyStarter, startBody } from './start-bodies.ts'

/** Enters bodies again that waited for people when their process ended. */
export async function reenterBodies(
  parts: BodyStarter & { activation: Activation },
  calls: readonly Call[],
): Promise<void> {
  for (const call of calls)
    if (call.phase.at === 'started') ownerOf(parts.agent, call).requireTool(call.phase.release.tool)
  await parts.activation.acquire()
  for (const { key } of calls) startBody(parts, key, false)
}
