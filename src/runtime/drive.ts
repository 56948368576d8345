import { next } from '../core/next.ts'
import { HoldpointError, MaxTurnsExceeded, StoreFailed, ThreadBusy } from '../protocol/errors.ts'
import { LeaseLost } from './activation.ts'
import { recordSettled, refuseCalls, resolveUnknown, startCalls, useGrants } from './calls.ts'
import type { Driver } from './driver.ts'
import { settleEdit } from './edits.ts'
import { modelTurn } from './model-turn.ts'
import { untilAborted } from './until-aborted.ts'

/** How an activation ended. `paused` waits for people; `stopped` means that this process no longer drives and resuming goes on. */
export type Ending =
  | { kind: 'settled' }
  | { kind: 'paused' }
  | { kind: 'stopped' }
  | { kind: 'failed'; error: HoldpointError }

/** How long bodies get to end after the run was told to stop, before it returns without them. */
const GRACE_MS = 1_000

/**
 * The one loop: ask core for the next step, do it, append what happened, until there is nothing to do here.
 * Throws only `ThreadBusy`, before anything was stored; other trouble is an ending.
 */
export async function drive(driver: Driver): Promise<Ending> {
  try {
    const ending = await loop(driver)
    await driver.activation.drop()
    return ending
  } catch (error) {
    if (error instanceof ThreadBusy) throw error
    await endBodies(driver)
    if (driver.signal.aborted || error instanceof LeaseLost) return { kind: 'stopped' }
    return {
      kind: 'failed',
      error: HoldpointError.isInstance(error) ? error : new StoreFailed('The run could not go on', error),
    }
  }
}

async function loop(driver: Driver): Promise<Ending> {
  const { journal, bodies, signal } = driver
  for (;;) {
    signal.throwIfAborted()
    const limit = driver.maxTurns === undefined ? {} : { maxTurns: driver.maxTurns }
    const step = next(journal.state, { now: journal.now(), running: bodies.keys(), ...limit })
    switch (step.do) {
      case 'ask-model':
        await modelTurn(driver, step.frame)
        break
      case 'start':
        await startCalls(driver, step.calls)
        break
      case 'await-bodies':
        await untilAborted(bodies.settled(), signal)
        await recordSettled(driver, bodies.takeSettled())
        break
      case 'refuse':
        await refuseCalls(driver, step.calls)
        break
      case 'use-grants':
        await useGrants(driver, step.calls)
        break
      case 'check-edit':
        await settleEdit(driver, step.call)
        break
      case 'resolve-unknown':
        await resolveUnknown(driver, step.calls)
        break
      case 'await-time':
        await untilAborted(sleep(step.until - journal.now()), signal)
        await journal.catchUp()
        break
      case 'await-people':
        return { kind: 'paused' }
      case 'stop-at-limit':
        throw new MaxTurnsExceeded(step.maxTurns)
      case 'nothing':
        return { kind: 'settled' }
      default:
        step satisfies never
    }
  }
}

/**
 * Lets bodies end after the loop has. Those that take longer than the grace go on by themselves, under the lease, and still report
 * what they did; if even that fails, their outcome is unknown, which is what the journal says.
 */
async function endBodies(driver: Driver): Promise<void> {
  const { bodies, activation } = driver
  const ended = (async () => {
    while (bodies.busy) {
      await bodies.settled()
      await recordSettled(driver, bodies.takeSettled())
    }
    await recordSettled(driver, bodies.takeSettled())
    await activation.drop()
  })().catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GRACE_MS)
  })
  await Promise.race([ended, grace])
  clearTimeout(timer)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, Math.min(ms, 2_147_483_647)))
  })
}
