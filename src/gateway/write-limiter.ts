import type { Caller } from './auth/auth.ts'
import { type Result, refuse } from './refusal.ts'
import { type RateLimit, TokenBuckets } from './token-buckets.ts'

/** How often one caller may write: `burst` at once, then `perSecond`. */
export type WriteLimit = RateLimit

/** Limits the writes of each caller. Refused answers count too, so that nobody learns anything by guessing. */
export class WriteLimiter {
  readonly #buckets: TokenBuckets

  constructor(limit: WriteLimit) {
    this.#buckets = new TokenBuckets(limit)
  }

  /** Takes one token; a refusal says when to retry. */
  take({ tenant, sub }: Caller, now = performance.now()): Result<void> {
    const seconds = this.#buckets.take(`${tenant.length}:${tenant}${sub}`, now)
    if (seconds === 0) return { ok: true, value: undefined }
    return refuse(429, 'You send too many requests. Try again after the time in Retry-After.', {
      'retry-after': String(seconds),
    })
  }
}
