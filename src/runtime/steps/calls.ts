import { type ProjectedGrant, spending } from '../../core/grants.ts'
import { grantedCalls, isPast } from '../../core/next.ts'
import {
  type AskAgain,
  planAskAgain,
  planFinish,
  planNotBegun,
  planRefusals,
  planRetry,
  planStart,
} from '../../core/plan/calls.ts'
import { planDeadline } from '../../core/plan/deadline.ts'
import { planDecision } from '../../core/plan/decide.ts'
import { type AgentChange, planAgentChange } from '../../core/plan/frames.ts'
import { errorResult } from '../../core/plan/results.ts'
import {
  type AskedRequest,
  type Call,
  findCall,
  openRequests,
  type Release,
  spendsGrant,
  type ThreadState,
} from '../../core/state.ts'
import type { Decision } from '../../protocol/decision.ts'
import type { Entry } from '../../protocol/entry.ts'
import { messageOf } from '../../protocol/errors.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import type { SettledAttempt } from '../body/bodies.ts'
import { words } from '../definition/model-messages.ts'
import { LeaseLost } from '../journal/activation.ts'
import { onlyPeopleAfter } from '../journal/may-drop-lease.ts'
import { type Driver, openRun } from '../loop/driver.ts'
import { type Clearance, clear } from './clearance.ts'
import { callContext, ownerOf } from './frame-agents.ts'
import { changeOf } from './frames.ts'
import { boundedResult } from './size-limits.ts'

/**
 * Starts released calls. Each is first compared with its tool, its facts and the policies as they are now (G3): what is no longer what was
 * approved is asked again and not run.
 */
export async function startCalls(driver: Driver, calls: readonly Call[]): Promise<void> {
  const { activation, grants } = driver
  const checks = await checkReleases(driver, calls)
  await activation.ensureMargin()
  const entries = await activation.write((state) => {
    const spent: ProjectedGrant[] = []
    const planned = calls.flatMap(({ key }): Entry[] => {
      const call = findCall(state, key)
      const check = checks.get(key)
      if (call?.phase.at !== 'released' || check?.release !== call.phase.release) return []
      const { release, clearance } = check
      if (clearance.kind !== 'start') return planHeldBack(driver, state, call, { release, clearance })
      if (spendsGrant(release)) {
        const { by, amount, digest, definition, facts } = release
        if (grants.isGone(by.id))
          return [askAgain(driver, state, call, { release, digest, definition, facts, reason: 'grant_gone' })]
        spent.push({ op: 'spend', id: by.id, ...(amount === undefined ? {} : { amount }) })
      }
      return planStart(call, clearance.start)
    })
    return planned.length > 0 ? { entries: planned, grants: spent, drop: onlyPeopleAfter(state, planned) } : undefined
  }, grants)
  if (!entries) return
  startBodies(driver, entries)
  for (const { clearance } of checks.values()) if (clearance.kind === 'give-up') throw clearance.error
}

/** What is recorded of a released call that may not start. */
function planHeldBack(
  driver: Driver,
  state: ThreadState,
  call: Call,
  { release, clearance }: { release: Release; clearance: Exclude<Clearance, { kind: 'start' }> },
): Entry[] {
  switch (clearance.kind) {
    case 'ask':
      return [askAgain(driver, state, call, { release, ...clearance.ask })]
    case 'refuse': {
      const { text, policies } = clearance
      return planRefusals([{ call, cause: 'denied', result: errorResult(text), ...(policies ? { policies } : {}) }])
    }
    case 'give-up': {
      const unknown = 'unknown' in call.phase && call.phase.unknown !== undefined
      const text = unknown ? words.unknownOutcome(release.tool) : words.unstable(release.tool)
      return planRefusals([{ call, cause: unknown ? 'unknown' : 'denied', result: errorResult(text) }])
    }
    default:
      return clearance satisfies never
  }
}

/** A release, and whether the world lets it start. */
interface CheckedRelease {
  release: Release
  clearance: Clearance
}

/** Compares what is about to run with the world, before the append in which it starts. */
async function checkReleases(driver: Driver, calls: readonly Call[]): Promise<Map<CallKey, CheckedRelease>> {
  const checks = new Map<CallKey, CheckedRelease>()
  for (const call of calls) {
    const { key, phase } = call
    if (phase.at !== 'released' && phase.at !== 'started') continue
    const { release } = phase
    checks.set(key, { release, clearance: await clear(driver, call, release) })
  }
  return checks
}

/** Runs the bodies of what was just recorded as started. */
export function startBodies(driver: Driver, entries: readonly Entry[]): void {
  for (const entry of entries) if (entry.type === 'call.started' && !entry.frame) startBody(driver, entry.call, true)
}

function startBody(driver: Driver, key: CallKey, fresh: boolean): void {
  const { state } = driver.journal
  const call = findCall(state, key)
  if (call?.phase.at !== 'started' || !state.run) return
  const { release } = call.phase
  const agent = ownerOf(driver.agent, call)
  driver.bodies.start(state.run, {
    call,
    release,
    attempt: call.attempts,
    tool: agent.requireTool(release.tool),
    agent,
    runContext: callContext(state, state.run, key),
    token: driver.activation.token,
    fresh,
  })
}

/** Records what bodies came to. A developer's mistake, or that the lease was gone before one began, is thrown after that. */
export async function recordSettled(driver: Driver, settled: readonly SettledAttempt[]): Promise<void> {
  const attempts = await reportSettled(driver, settled)
  for (const { end } of attempts) if ('error' in end && end.error) throw end.error
  if (!driver.signal.aborted && attempts.some(({ end }) => end.kind === 'not-begun')) throw new LeaseLost()
}

/** Records what bodies came to: all that ended together, in one append. */
export async function reportSettled(
  driver: Driver,
  settled: readonly SettledAttempt[],
): Promise<readonly SettledAttempt[]> {
  let attempts = settled
  try {
    attempts = await Promise.all(settled.map((attempt) => withHandoff(driver, bounded(driver, attempt))))
    await driver.activation.report((state) => {
      const entries = attempts.flatMap((attempt) => planEnd(state, attempt))
      return { entries, drop: onlyPeopleAfter(state, entries) }
    })
  } catch (error) {
    // The store may be back a moment later: what happened must not be forgotten before that was tried.
    driver.bodies.giveBack(attempts)
    throw error
  }
  return attempts
}

/** An end that can be stored, whatever the body returned. */
function bounded({ agent, journal }: Driver, settled: SettledAttempt): SettledAttempt {
  const { key, end } = settled
  if (end.kind !== 'finished') return settled
  const call = findCall(journal.state, key)
  const result = boundedResult(call ? ownerOf(agent, call) : agent, journal.store, end.result)
  return result === end.result ? settled : { ...settled, end: { ...end, result } }
}

/** The end of a hand-off's body, with who goes on. If that cannot be told, nobody does, and the model reads why. */
async function withHandoff(
  driver: Driver,
  settled: SettledAttempt,
): Promise<SettledAttempt & { change?: AgentChange }> {
  const { key, end } = settled
  if (end.kind !== 'finished' || !findCall(driver.journal.state, key)?.handoff) return settled
  try {
    const change = await changeOf(driver, key, end.result)
    return change ? { ...settled, change } : settled
  } catch (error) {
    return { ...settled, end: { kind: 'finished', result: errorResult(words.failed(messageOf(error))) } }
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

/** Closes requests whose time is over; what that means for their calls is the next step. */
export async function expireRequests(driver: Driver, requests: readonly AskedRequest[]): Promise<void> {
  const ids = new Set(requests.map(({ opened }) => opened.id))
  // Somebody else may have passed one on meanwhile: then it is open, and late no more.
  const isLate = (asked: AskedRequest) => ids.has(asked.opened.id) && isPast(asked, driver.journal.now())
  await driver.activation.report((state) => {
    const late = openRequests(state).filter(isLate)
    return late.length > 0 ? { entries: late.flatMap(planDeadline) } : undefined
  })
}

/** Enters bodies again that waited for people when their process went away. */
export async function reenterBodies(driver: Driver, calls: readonly Call[]): Promise<void> {
  for (const call of calls)
    if (call.phase.at === 'started') ownerOf(driver.agent, call).requireTool(call.phase.release.tool)
  await driver.activation.acquire()
  for (const { key } of calls) startBody(driver, key, false)
}

/** Decides calls that were asked before somebody gave a standing decision that covers them. What allows is spent when they start. */
export async function useGrants(driver: Driver): Promise<void> {
  const { activation, grants, journal } = driver
  await activation.write((state) => {
    // Another process may have gone on with it, even to its end.
    if (state.run?.status !== 'open') return undefined
    const granted = grantedCalls(state, grants.known, journal.now())
    const entries = granted.flatMap(({ asked, use }) => {
      const { grant, amount } = use
      const said = grant.message === undefined ? {} : { message: grant.message }
      const decision: Decision = grant.effect === 'allow' ? { type: 'approve' } : { type: 'reject', ...said }
      const by = { kind: 'grant', id: grant.id } as const
      const taken = amount === undefined ? {} : { amount }
      return planDecision({ opened: asked.opened, version: asked.version, decision, by, ...taken })
    })
    const denied = granted.flatMap(({ use }) => (use.grant.effect === 'deny' ? [spending(use)] : []))
    return entries.length > 0 ? { entries, grants: denied } : undefined
  }, grants)
}

/** Acts on calls that somebody started who is gone, as their tools say. */
export async function resolveUnknown(driver: Driver, calls: readonly Call[]): Promise<void> {
  const { activation } = driver
  await activation.acquire()
  const checks = await checkReleases(driver, calls)
  await activation.ensureMargin()
  const entries = await activation.write((state) => {
    const planned = calls.flatMap(({ key }) => {
      const call = findCall(state, key)
      const check = checks.get(key)
      if (call?.phase.at !== 'started' || check?.release !== call.phase.release) return []
      return planUnknown(driver, state, call, check)
    })
    return planned.length > 0 ? { entries: planned, drop: onlyPeopleAfter(state, planned) } : undefined
  })
  if (entries) startBodies(driver, entries)
}

function planUnknown(driver: Driver, state: ThreadState, call: Call, { release, clearance }: CheckedRelease): Entry[] {
  const tool = ownerOf(driver.agent, call).requireTool(release.tool)
  if (tool.onUnknownOutcome === 'fail') {
    return planRefusals([{ call, cause: 'unknown', result: errorResult(words.unknownOutcome(call.tool)) }])
  }
  if (tool.onUnknownOutcome === 'retry' && clearance.kind === 'start') return planRetry(call, release, clearance.start)
  const { digest, definition, facts } = release
  const now = clearance.kind === 'ask' ? clearance.ask : {}
  return [askAgain(driver, state, call, { release, digest, definition, facts, ...now, reason: 'unknown_outcome' })]
}

function askAgain(driver: Driver, state: ThreadState, call: Call, ask: Omit<AskAgain, 'id' | 'now'>): Entry {
  return planAskAgain(openRun(state), call, { id: driver.newId(), now: driver.journal.now(), ...ask })
}
