import { isDuration, LONGEST_SECONDS } from '../../protocol/checks/durations.ts'
import { type Actor, actor, toActor } from '../../protocol/decision.ts'
import { DecisionInvalid, InputInvalid } from '../../protocol/errors/errors.ts'
import { isWellFormed } from '../../protocol/json/json.ts'

/**
 * Parses the author of an action at the desk. Every later process reads it again: a journal with an invalid author could not be resumed, and nobody
 * could be held accountable.
 */
export function parseActor(by: unknown): Actor {
  const result = actor().safeParse(toActor(by))
  if (!result.success || ![result.data.id, ...(result.data.groups ?? [])].every(isName)) {
    throw new DecisionInvalid(
      `by must say who decides: 'ann', the id of a person, or { kind: 'person', id: 'ann', groups: ['finance'] }.`,
    )
  }
  return result.data
}

function isName(text: string): boolean {
  return text !== '' && isWellFormed(text)
}

/** Checks a string that is stored in the journal. */
export function parseWords<T extends string | undefined>(name: string, words: T): T {
  if (words !== undefined && (typeof words !== 'string' || !isWellFormed(words))) {
    throw new DecisionInvalid(`${name} must be a string without lone surrogates.`)
  }
  return words
}

const LONGEST_REASON = 2000

/** Parses why an operator acts. It is stored in the journal, and every later reader gets it. */
export function parseReason(what: string, reason: unknown): string {
  const isReason = typeof reason === 'string' && reason.trim() !== '' && isWellFormed(reason)
  if (isReason && reason.length <= LONGEST_REASON) return reason
  throw new InputInvalid(`${what} needs a reason of 1 to ${LONGEST_REASON} characters.`)
}

/** Parses `undoSeconds`. */
export function parseUndo(seconds: number | undefined): number {
  if (seconds === undefined) return 0
  if (isDuration(seconds)) return seconds
  throw new DecisionInvalid(`undoSeconds must be a number of seconds from 0 to ${LONGEST_SECONDS}.`)
}

const LONGEST_KEY = 200

/** Parses `idempotencyKey`. */
export function parseKey(key: unknown): string | undefined {
  if (key === undefined) return undefined
  if (typeof key === 'string' && key !== '' && key.length <= LONGEST_KEY && isWellFormed(key)) return key
  throw new DecisionInvalid(`idempotencyKey must be a string of 1 to ${LONGEST_KEY} characters.`)
}
