import type { Caller } from './auth/auth.ts'
import { type Result, refuse } from './refusal.ts'

/** How often one caller may write: `burst` at once, then `perSecond`. */
export interface WriteLimit {
  burst: number
  perSecond: number
}

interface Bucket {
  left: number
  at: number
}

/** Above this number of callers, those with a full bucket are forgotten. */
const ROOMY = 10_000

/** A token bucket for each caller. Refused answers count too, so that nobody learns anything by guessing. */
export class WriteLimiter {
  readonly #limit: WriteLimit
  readonly #buckets = new Map<string, Bucket>()
  #roomy = ROOMY

  constructor(limit: WriteLimit) {
    this.#limit = limit
  }

  /** Takes one token; a refusal says when to retry. */
  take({ tenant, sub }: Caller, now = performance.now()): Result<void> {
    const { burst, perSecond } = this.#limit
    const key = `${tenant.length}:${tenant}${sub}`
    const { left, at } = this.#buckets.get(key) ?? { left: burst, at: now }
    const filled = Math.min(burst, left + ((now - at) / 1000) * perSecond)
    const enough = filled >= 1
    this.#buckets.set(key, { left: enough ? filled - 1 : filled, at: now })
    this.#makeRoom(now)
    if (enough) return { ok: true, value: undefined }
    const seconds = Math.ceil((1 - filled) / perSecond)
    return refuse(429, 'You send answers faster than is allowed.', { 'retry-after': String(seconds) })
  }

  #makeRoom(now: number): void {
    if (this.#buckets.size <= this.#roomy) return
    const { burst, perSecond } = this.#limit
    for (const [key, { left, at }] of this.#buckets)
      if (left + ((now - at) / 1000) * perSecond >= burst) this.#buckets.delete(key)
    this.#roomy = Math.max(ROOMY, this.#buckets.size * 2)
  }
}
