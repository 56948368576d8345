import { type Result, refuse } from '../refusal.ts'
import { TokenBuckets } from '../token-buckets.ts'

/** Attempts of one address, and of all together. Every attempt counts, also one that succeeds. */
const PER_ADDRESS = { burst: 20, perSecond: 0.5 }
const OVERALL = { burst: 200, perSecond: 20 }

/** Limits attempts to sign in. */
export class SignInLimiter {
  readonly #addresses = new TokenBuckets(PER_ADDRESS)
  readonly #overall = new TokenBuckets(OVERALL)

  /** Takes one attempt of an address. One that its own limit refuses does not count against the others. */
  take(address: string, now = performance.now()): Result<void> {
    const seconds = this.#addresses.take(address, now) || this.#overall.take('', now)
    if (seconds === 0) return { ok: true, value: undefined }
    return refuse(429, 'Too many attempts to sign in. Try again later.', { 'retry-after': String(seconds) })
  }
}
