/** How often something may happen: `burst` at once, then `perSecond`. */
export interface RateLimit {
  burst: number
  perSecond: number
}

interface Bucket {
  left: number
  at: number
}

/** Above this number of keys, those with a full bucket are forgotten. */
const ROOMY = 10_000

/** A token bucket for each key. */
export class TokenBuckets {
  readonly #limit: RateLimit
  readonly #buckets = new Map<string, Bucket>()
  #roomy = ROOMY

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  /** Takes one token. Returns 0, or the seconds until there is one. */
  take(key: string, now = performance.now()): number {
    const { burst, perSecond } = this.#limit
    const known = this.#buckets.get(key)
    const bucket = known ?? { left: burst, at: now }
    const filled = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond)
    const enough = filled >= 1
    bucket.left = enough ? filled - 1 : filled
    bucket.at = now
    if (!known) {
      this.#buckets.set(key, bucket)
      this.#makeRoom(now)
    }
    return enough ? 0 : Math.ceil((1 - filled) / perSecond)
  }

  #makeRoom(now: number): void {
    if (this.#buckets.size <= this.#roomy) return
    const { burst, perSecond } = this.#limit
    for (const [key, { left, at }] of this.#buckets)
      if (left + ((now - at) / 1000) * perSecond >= burst) this.#buckets.delete(key)
    this.#roomy = Math.max(ROOMY, this.#buckets.size * 2)
  }
}
