import type { ProjectedGrant } from '../../core/grants.ts'
import { planRefusals, planStart } from '../../core/plan/calls.ts'
import { errorResult } from '../../core/plan/results.ts'
import { findCall, freeSlots, isInsideRejected, spendsGrant } from '../../core/queries.ts'
import type { AskAgainReason, Call, Release, ThreadState } from '../../core/state.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import { modelMessages } from '../definition/model-messages.ts'
import type { Activation } from '../journal/activation.ts'
import { mayDropLease } from '../journal/may-drop-lease.ts'
import { type Asker, askAgain } from './ask-again.ts'
import { type Clearance, type ClearanceParts, clear } from './clearance.ts'
import { onceInEffect } from './once-in-effect.ts'
import { type BodyStarter, startBodies } from './start-bodies.ts'

/** Dependencies of `startCalls`. */
export interface CallStarter extends ClearanceParts, BodyStarter, Asker {
  readonly activation: Activation
  /** Set if the host runs the call: see `call.started`. */
  readonly handedOver: string | undefined
}

/**
 * Starts released calls. Each is first compared with the current tool, facts and policies (G3). A call that is no longer exactly what was approved
 * does not run; people are asked again.
 */
export async function startCalls(parts: CallStarter, calls: readonly Call[]): Promise<void> {
  const { activation, grants, journal, handedOver } = parts
  const checks = await checkReleases(parts, calls)
  // How long a decision counts is judged by the store's own time, not by an estimate of it.
  if ([...checks.values()].some(({ release }) => release.validUntil !== undefined)) await journal.catchUp()
  await activation.ensureMargin()
  const entries = await activation.write((state) => {
    const spent: ProjectedGrant[] = []
    // Turns of nested runs may have started calls meanwhile.
    let free = state.run ? freeSlots(state.run) : 0
    const planned = calls.flatMap(({ key }): Entry[] => {
      const call = findCall(state, key)
      const check = checks.get(key)
      if (call?.phase.at !== 'released' || check?.release !== call.phase.release) return []
      if (isInsideRejected(state, frameOf(key))) return []
      const { release, clearance } = check
      if (clearance.kind !== 'start') return planHeldBack(parts, { state, call }, { release, clearance })
      const { by, amount, digest, definition, facts } = release
      const reason = lapseOf(parts, release)
      if (reason) return [askAgain(parts, { state, call }, { release, digest, definition, facts, reason })]
      if (free-- <= 0) return []
      if (spendsGrant(release)) spent.push({ op: 'spend', id: by.id, ...(amount === undefined ? {} : { amount }) })
      return planStart(call, handedOver === undefined ? clearance.start : { ...clearance.start, handedOver })
    })
    if (planned.length === 0) return undefined
    return onceInEffect(journal, state, { entries: planned, grants: spent, drop: mayDropLease(state, planned) })
  }, grants)
  if (!entries) return
  startBodies(parts, entries)
  for (const { clearance } of checks.values()) if (clearance.kind === 'give-up') throw clearance.error
}

/** Why the decision that released a call no longer counts, if so. */
function lapseOf({ grants, journal }: CallStarter, release: Release): AskAgainReason | undefined {
  if (spendsGrant(release) && grants.isGone(release.by.id)) return 'grant_gone'
  return (release.validUntil ?? Number.POSITIVE_INFINITY) <= journal.now() ? 'decision_expired' : undefined
}

/** The entries for a released call that may not start. */
function planHeldBack(
  parts: CallStarter,
  { state, call }: { state: ThreadState; call: Call },
  { release, clearance }: { release: Release; clearance: Exclude<Clearance, { kind: 'start' }> },
): Entry[] {
  switch (clearance.kind) {
    case 'ask':
      return [askAgain(parts, { state, call }, { release, ...clearance.ask })]
    case 'refuse': {
      const { text, policies } = clearance
      return planRefusals([{ call, cause: 'denied', result: errorResult(text), ...(policies ? { policies } : {}) }])
    }
    case 'give-up': {
      const unknown = 'unknown' in call.phase && call.phase.unknown !== undefined
      const text = unknown ? modelMessages.unknownOutcome(release.tool) : modelMessages.unstable(release.tool)
      return planRefusals([{ call, cause: unknown ? 'unknown' : 'denied', result: errorResult(text) }])
    }
    default:
      return clearance satisfies never
  }
}

/** A release, and whether it may start. */
export interface CheckedRelease {
  release: Release
  clearance: Clearance
}

/** Checks calls that are about to run, before the append in which they start. */
export async function checkReleases(parts: CallStarter, calls: readonly Call[]): Promise<Map<CallKey, CheckedRelease>> {
  const checks = new Map<CallKey, CheckedRelease>()
  for (const call of calls) {
    const { key, phase } = call
    if (phase.at !== 'released' && phase.at !== 'started') continue
    const { release } = phase
    checks.set(key, { release, clearance: await clear(parts, call, release) })
  }
  return checks
}
