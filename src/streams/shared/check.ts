import type { ReadOptions, WaitForReply } from '../../ports/streams.ts'
import { InputInvalid } from '../../protocol/errors.ts'
import { streamPosition } from '../../protocol/hil.ts'
import { isWellFormed } from '../../protocol/json.ts'

const LONGEST_ID = 512

/** Checks a name that becomes part of keys: of a session, an owner, a tenant or a message. */
export function checkName(what: string, name: unknown): void {
  if (typeof name !== 'string' || name === '' || name.length > LONGEST_ID || !isWellFormed(name)) {
    throw new InputInvalid(`The ${what} must be a text of 1 to ${LONGEST_ID} characters without lone surrogates.`)
  }
}

/** The milliseconds that a session is given. */
export function expiryMs(expireSeconds: unknown): number {
  if (typeof expireSeconds !== 'number' || !(expireSeconds > 0) || expireSeconds > MOST_SECONDS) {
    throw new InputInvalid('expireSeconds must be a positive number of seconds, at most a hundred years.')
  }
  return Math.max(1, Math.round(expireSeconds * 1000))
}

const MOST_SECONDS = 100 * 366 * 86_400

/** Options of a read, checked, with the defaults filled in. */
export function readOptions({ after, limit = 1, waitMs = 0, signal }: ReadOptions): Required<
  Omit<ReadOptions, 'signal'>
> & {
  signal: AbortSignal | undefined
} {
  if (!streamPosition.safeParse(after).success) {
    throw new InputInvalid(`"${String(after)}" is no position; "0" is the beginning.`)
  }
  if (!Number.isInteger(limit) || limit < 1) throw new InputInvalid('limit must be a whole number above 0.')
  return { after, limit, waitMs: waitTime(waitMs), signal }
}

/** How long a reply is waited for, checked. */
export function replyOptions({ waitMs, signal }: WaitForReply): { waitMs: number; signal: AbortSignal | undefined } {
  return { waitMs: waitTime(waitMs), signal }
}

function waitTime(waitMs: number): number {
  if (typeof waitMs !== 'number' || !(waitMs >= 0)) throw new InputInvalid('waitMs must be a number of milliseconds.')
  return waitMs
}
