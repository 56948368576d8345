import type { Append } from '../../ports/store.ts'
import type { ReadyPage, ReadyThread } from '../../ports/store-lists.ts'
import type { WakeChange, WakeMark } from '../../ports/wake.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { comesAfter } from './threads.ts'

/** The mark of a thread in which nothing ever ran. */
export const NO_WAKE: WakeMark = { at: null, tries: 0, agent: null, agentVersion: null }

/** The mark after an append that was accepted at `now`: the same object if nothing changes. */
export function changeWake(mark: WakeMark, { wake, run }: Pick<Append, 'wake' | 'run'>, now: number): WakeMark {
  const agent = run ? run.agent : mark.agent
  const agentVersion = run ? run.version : mark.agentVersion
  const at = wakeTime(mark.at, wake, now)
  const tries = wake?.op === 'set' ? (wake.tries ?? 0) : mark.tries
  const isSame = at === mark.at && tries === mark.tries && agent === mark.agent && agentVersion === mark.agentVersion
  return isSame ? mark : { at, tries, agent, agentVersion }
}

function wakeTime(before: number | null, wake: WakeChange | undefined, now: number): number | null {
  switch (wake?.op) {
    case undefined:
      return before
    case 'by':
      return Math.min(before ?? Number.POSITIVE_INFINITY, now + wake.inMs)
    case 'set':
      return wake.at
  }
}

/** Throws `InputInvalid` for a mark, a run or a time that no store could apply. */
export function checkWake({ wake, run, notBefore = 0, entries, version }: Append): void {
  if (!Number.isSafeInteger(notBefore)) throw new InputInvalid(`notBefore must be a time, not ${notBefore}`)
  if (run !== undefined) checkRun(run)
  if (wake === undefined) return
  switch (wake.op) {
    case 'by':
      if (!isCount(wake.inMs) || wake.inMs > MAX_WAIT_MS)
        throw new InputInvalid(`inMs must be 0 to ${MAX_WAIT_MS}, not ${wake.inMs}`)
      if (wake.tell && entries.length === 0) throw new InputInvalid('an append that tells of a thread needs an entry')
      return
    case 'set':
      // Otherwise it could undo the mark of an append that its writer has not seen.
      if (version === undefined) throw new InputInvalid('an append that sets a wake time needs a version')
      if (wake.at !== null && !Number.isSafeInteger(wake.at))
        throw new InputInvalid(`a wake time must be a time or null, not ${wake.at}`)
      if (!isCount(wake.tries ?? 0) || (wake.tries ?? 0) > MAX_TRIES)
        throw new InputInvalid(`tries must be a count, not ${wake.tries}`)
      return
    default:
      throw new InputInvalid(`a wake mark is changed by 'by' or 'set', not ${(wake as { op: unknown }).op}`)
  }
}

/** A hundred years: added to a time it stays a safe integer. */
const MAX_WAIT_MS = 100 * 365 * 86_400_000
/** What a database stores in four bytes. */
const MAX_TRIES = 2 ** 31 - 1

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function checkRun({ agent, version }: NonNullable<Append['run']>): void {
  if (typeof agent !== 'string' || agent === '') throw new InputInvalid('the agent of a run must be a string')
  if (version !== null && typeof version !== 'string')
    throw new InputInvalid('the version of an agent must be a string or null')
}

/** Whether a thread comes after another in the order of {@link ReadyPage}. */
export function readyAfter(a: ReadyThread, b: ReadyThread): boolean {
  return a.at === b.at ? comesAfter(a, b) : a.at > b.at
}
