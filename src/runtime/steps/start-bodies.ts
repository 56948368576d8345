import { findCall } from '../../core/queries.ts'
import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import type { CallKey } from '../../protocol/ids.ts'
import type { Bodies } from '../body/bodies.ts'
import { callContext, ownerOf, type RunParts } from '../frames/frame-agents.ts'
import type { Activation } from '../journal/activation.ts'

/** Dependencies of `startBodies`. */
export interface BodyStarter extends RunParts {
  readonly activation: Pick<Activation, 'token'>
  readonly bodies: Bodies
}

/** Starts the bodies of the calls that were just recorded as started. */
export function startBodies(parts: BodyStarter, entries: readonly Entry[]): void {
  for (const entry of entries) if (entry.type === 'call.started' && hasBody(entry)) startBody(parts, entry.call, true)
}

/** A call with a frame is a nested run, and one that was handed over runs at its host. */
function hasBody({ frame, handedOver }: EntryOf<'call.started'>): boolean {
  return !frame && handedOver === undefined
}

/** Starts one body. `fresh`: this activation recorded its start. */
export function startBody(parts: BodyStarter, key: CallKey, fresh: boolean): void {
  const { state } = parts.journal
  const call = findCall(state, key)
  if (call?.phase.at !== 'started' || !state.run) return
  const { release } = call.phase
  const agent = ownerOf(parts.agent, call)
  parts.bodies.start(state.run, {
    call,
    release,
    attempt: call.attempts,
    tool: agent.requireTool(release.tool),
    agent,
    runContext: callContext(state, state.run, key),
    token: parts.activation.token,
    fresh,
  })
}
