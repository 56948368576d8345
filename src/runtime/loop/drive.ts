import { hasAnswerToActOn, next } from '../../core/next.ts'
import { isRoot, openRequests } from '../../core/state.ts'
import { pause } from '../../ports/clock.ts'
import {
  HitlAborted,
  HitlDetached,
  HoldpointError,
  MaxTurnsExceeded,
  StoreBehind,
  StoreFailed,
  ThreadBusy,
} from '../../protocol/errors.ts'
import { LeaseLost } from '../journal/activation.ts'
import type { Journal } from '../journal/journal.ts'
import {
  expireRequests,
  recordSettled,
  reenterBodies,
  reportSettled,
  resolveUnknown,
  startCalls,
  useGrants,
} from '../steps/calls.ts'
import { settleEdit } from '../steps/edits.ts'
import { stopFrame } from '../steps/frames.ts'
import { modelTurn } from '../steps/model-turn.ts'
import { passGate } from '../steps/pass-gate.ts'
import { refuseCalls } from '../steps/refusals.ts'
import { type Driver, openRun } from './driver.ts'
import { idle, idleUntil } from './idle.ts'

/**
 * How an activation ended. `paused` waits for people; `stopped` means that this process no longer drives and resuming goes on; `overtaken`
 * that another process drives now.
 */
export type Ending =
  | { kind: 'settled' }
  | { kind: 'paused' }
  | { kind: 'stopped' }
  | { kind: 'overtaken' }
  | { kind: 'failed'; error: HoldpointError }

/** How long bodies get to end after the run was told to stop, before it returns without them. */
const GRACE_MS = 1_000

/**
 * The one loop: ask core for the next step, do it, append what happened, until there is nothing to do here.
 * Throws only `ThreadBusy`, before anything was stored; other trouble is an ending.
 */
export async function drive(driver: Driver): Promise<Ending> {
  const { activation, control, reception, waiters, turns, signal } = driver
  try {
    const ending = await loop(driver)
    await activation.drop()
    return ending
  } catch (error) {
    if (error instanceof StoreBehind) activation.abandon()
    waiters.rejectAll(new HitlAborted('the run stopped'))
    // Bodies that ask from here on would wait for ever, and keep the lease.
    control.detach()
    await turns.stop(error)
    await endBodies(driver)
    if (error instanceof ThreadBusy) {
      if (activation.began || control.stayed) return { kind: 'overtaken' }
      throw error
    }
    if (error instanceof LeaseLost) return { kind: 'overtaken' }
    if (signal.aborted) return { kind: 'stopped' }
    return {
      kind: 'failed',
      error: HoldpointError.isInstance(error) ? error : new StoreFailed('The run could not go on', error),
    }
  } finally {
    reception?.close()
  }
}

async function loop(driver: Driver): Promise<Ending> {
  const { journal, bodies, turns, signal, waiters, reception, control } = driver
  for (;;) {
    signal.throwIfAborted()
    control.look()
    waiters.settle(journal.state)
    if (control.detached) return detach(driver)
    const limit = driver.maxTurns === undefined ? {} : { maxTurns: driver.maxTurns }
    const looking = driver.grants.forHeld(journal.state)
    if (looking !== undefined) await looking
    const { version: seen } = journal.state
    turns.check()
    const step = next(journal.state, {
      now: journal.now(),
      running: bodies.keys(),
      thinking: turns.keys(),
      grants: driver.grants.known,
      ...limit,
    })
    // What is past its deadline is closed first: nobody is asked about it any more.
    if (step.do !== 'expire') reception?.sync(journal.state, journal.now())
    switch (step.do) {
      case 'ask-model':
        if (isRoot(openRun(journal.state), step.frame)) await modelTurn(driver, step.frame)
        else turns.start(step.frame, (stopped) => modelTurn(driver, step.frame, stopped))
        break
      case 'start':
        await startCalls(driver, step.calls)
        break
      case 'await-bodies':
        await idle(driver, seen)
        await recordSettled(driver, bodies.takeSettled())
        break
      case 'refuse':
        await refuseCalls(driver, step.calls)
        break
      case 'expire':
        await expireRequests(driver, step.requests)
        break
      case 'use-grants':
        await useGrants(driver)
        break
      case 'check-edits':
        for (const call of step.calls) await settleEdit(driver, call)
        break
      case 'resolve-unknown':
        await resolveUnknown(driver, step.calls)
        break
      case 're-enter':
        await reenterBodies(driver, step.calls)
        break
      case 'pass-gate':
        await passGate(driver, step.frame)
        break
      case 'await-time':
        await idleUntil(driver, step.until, seen)
        break
      case 'await-people':
        if (!reception) return { kind: 'paused' }
        await driver.activation.drop()
        control.stayed = true
        await idle(driver, seen)
        break
      case 'stop-at-limit':
        if (isRoot(openRun(journal.state), step.frame)) throw new MaxTurnsExceeded(step.maxTurns)
        await stopFrame(driver, step.frame, step.maxTurns)
        break
      case 'nothing':
        return { kind: 'settled' }
      default:
        step satisfies never
    }
  }
}

/**
 * Leaves the rest to others: bodies that wait are let go, those that work come to their end. An answer that was handed over before still
 * counts: a body that waits for it gets it, and the run is only `paused` if it waits for people and nobody's answer is left to act on.
 */
async function detach(driver: Driver): Promise<Ending> {
  const { bodies, turns, waiters, journal, reception } = driver
  await reception?.drained()
  await journal.catchUp()
  waiters.settle(journal.state)
  waiters.rejectAll(new HitlDetached())
  while (bodies.busy || turns.busy) {
    await Promise.race([...(bodies.busy ? [bodies.settled()] : []), ...(turns.busy ? [turns.ended()] : [])])
    await recordSettled(driver, bodies.takeSettled())
    turns.check()
  }
  reception?.close()
  await reception?.drained()
  await journal.catchUp()
  return leftAs(journal)
}

/** How a run stands that this process has left. */
export function leftAs(journal: Journal): Ending {
  const { state } = journal
  // An abort wakes the loop in the same way.
  if (state.run?.status !== 'open') return { kind: 'settled' }
  const waits = openRequests(state).some(({ opened }) => opened.run !== undefined)
  return { kind: waits && !hasAnswerToActOn(state, journal.now()) ? 'paused' : 'stopped' }
}

/**
 * Lets bodies end after the loop has. Those that take longer than the grace go on by themselves, under the lease, and still report
 * what they did; if even that fails, their outcome is unknown, which is what the journal says.
 */
async function endBodies(driver: Driver): Promise<void> {
  const { bodies, activation } = driver
  const ended = (async () => {
    try {
      while (bodies.busy) {
        await bodies.settled()
        await reportSettled(driver, bodies.takeSettled())
      }
    } finally {
      // Also when the store fails: a lease that is kept up by a process that no longer drives would lock everybody out.
      await activation.drop()
    }
  })().catch(() => undefined)
  const over = new AbortController()
  await Promise.race([ended, pause(GRACE_MS, { signal: over.signal })])
  over.abort()
}
