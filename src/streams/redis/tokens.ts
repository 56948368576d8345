import { randomUUID } from 'node:crypto'

/**
 * Tokens of attempts. An attempt whose outcome is unknown is repeated with its old token, so that Redis can tell whether it was done.
 * Every other attempt gets a new token.
 */
export interface Tokens {
  take(attempt: string): string
  /** Records that the outcome of an attempt is unknown. */
  keep(attempt: string, token: string): void
}

/** How many unknown outcomes are remembered. */
const MOST = 10_000

/** Creates tokens without unknown outcomes. */
export function createTokens(): Tokens {
  const kept = new Map<string, string>()
  return {
    take(attempt) {
      const token = kept.get(attempt)
      kept.delete(attempt)
      return token ?? randomUUID()
    },
    keep(attempt, token) {
      kept.set(attempt, token)
      if (kept.size > MOST) kept.delete(kept.keys().next().value!)
    },
  }
}
