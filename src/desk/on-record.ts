import { isDuration, LONGEST_SECONDS } from '../protocol/checks/durations.ts'
import { type Actor, actor, toActor } from '../protocol/decision.ts'
import { DecisionInvalid } from '../protocol/errors/errors.ts'
import { isWellFormed } from '../protocol/json/json.ts'

/**
 * Reads who does something at the desk. What is written down is read again by every later process, for ever: a journal with an author
 * that is none could not be resumed, and nobody could be held to it.
 */
export function parseActor(by: unknown): Actor {
  const result = actor.safeParse(toActor(by))
  if (!result.success || result.data.id === '' || !isWellFormed(result.data.id)) {
    throw new DecisionInvalid(`by must say who decides: 'ann', the id of a person, or { kind: 'person', id: 'ann' }.`)
  }
  return result.data
}

/** Reads words for the record. */
export function parseWords<T extends string | undefined>(name: string, words: T): T {
  if (words !== undefined && (typeof words !== 'string' || !isWellFormed(words))) {
    throw new DecisionInvalid(`${name} must be a string without lone surrogates.`)
  }
  return words
}

/** Reads how long a decision can be withdrawn. */
export function parseUndo(seconds: number | undefined): number {
  if (seconds === undefined) return 0
  if (isDuration(seconds)) return seconds
  throw new DecisionInvalid(`undoSeconds must be a number of seconds from 0 to ${LONGEST_SECONDS}.`)
}

const LONGEST_KEY = 200

/** Reads the key that makes a repeated answer recognisable. */
export function parseKey(key: unknown): string | undefined {
  if (key === undefined) return undefined
  if (typeof key === 'string' && key !== '' && key.length <= LONGEST_KEY && isWellFormed(key)) return key
  throw new DecisionInvalid(`idempotencyKey must be a string of 1 to ${LONGEST_KEY} characters.`)
}
