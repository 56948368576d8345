import { randomUUID } from 'node:crypto'

/**
 * Names of attempts. An attempt whose outcome nobody learned is made again under its old name, so that Redis can tell whether it was done;
 * all others have names of their own.
 */
export interface Tokens {
  take(attempt: string): string
  /** The outcome of an attempt is not known. */
  keep(attempt: string, token: string): void
}

/** How many unknown outcomes are remembered. */
const MOST = 10_000

/** Every outcome is known so far. */
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
