import type { ReaderSession, ReadOptions, SessionsOptions, WaitForReply } from '../../ports/streams.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { streamPosition } from '../../protocol/hil/hil.ts'
import { isWellFormed } from '../../protocol/json/json.ts'

const LONGEST_ID = 512

/** Checks the name of a session, an owner or a message: it becomes part of keys. */
export function checkName(what: string, name: unknown): void {
  if (typeof name !== 'string' || name === '' || name.length > LONGEST_ID || !isWellFormed(name)) {
    throw new InputInvalid(`${what} must be a string of 1–${LONGEST_ID} characters without lone surrogates.`)
  }
}

/** The lifetime of a session in milliseconds. */
export function expiryMs(expireSeconds: unknown): number {
  if (typeof expireSeconds !== 'number' || !(expireSeconds > 0) || expireSeconds > MOST_SECONDS) {
    throw new InputInvalid('expireSeconds must be a positive number of seconds, at most a hundred years.')
  }
  return Math.max(1, Math.round(expireSeconds * 1000))
}

const MOST_SECONDS = 100 * 366 * 86_400

/** Options of a read, checked, with the defaults filled in. */
export function readOptions({ after, limit = 1, waitMs = 0, signal, owner }: ReadOptions): Required<
  Omit<ReadOptions, 'signal' | 'owner'>
> & {
  signal: AbortSignal | undefined
  owner: string | undefined
} {
  if (!streamPosition().safeParse(after).success) {
    throw new InputInvalid(`"${String(after)}" is not a position; "0" is the beginning.`)
  }
  if (!Number.isInteger(limit) || limit < 1) throw new InputInvalid('limit must be an integer above 0.')
  return { after, limit, waitMs: waitTime(waitMs), signal, owner }
}

/** An integer of at least one. */
export function checkCount(what: string, count: unknown): number {
  if (!Number.isSafeInteger(count) || (count as number) < 1)
    throw new InputInvalid(`${what} must be an integer, 1 or more.`)
  return count as number
}

/** Options of `sessions`, checked, with the defaults filled in. */
export function sessionsOptions({ names = [], known = [], waitMs = 0, signal }: SessionsOptions): {
  names: readonly string[]
  known: readonly string[]
  waitMs: number
  signal: AbortSignal | undefined
} {
  return { names, known, waitMs: waitTime(waitMs), signal }
}

/** Whether the sessions have exactly these names. */
export function sameNames(found: readonly ReaderSession[], known: readonly string[]): boolean {
  const names = new Set(known)
  return found.length === names.size && found.every(({ session }) => names.has(session))
}

/** Options of `takeReply`, checked, with the defaults filled in. */
export function replyOptions({ waitMs, signal, orRetracted = false }: WaitForReply): {
  waitMs: number
  signal: AbortSignal | undefined
  orRetracted: boolean
} {
  return { waitMs: waitTime(waitMs), signal, orRetracted }
}

function waitTime(waitMs: number): number {
  if (typeof waitMs !== 'number' || !(waitMs >= 0)) throw new InputInvalid('waitMs must be a number of milliseconds.')
  return waitMs
}
