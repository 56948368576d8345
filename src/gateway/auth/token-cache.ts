import { hash } from 'node:crypto'
import type { Caller } from './auth.ts'

interface Verified {
  caller: Caller
  until: number
}

/** Verified tokens by their SHA-256, until they expire. Bounded: the oldest are evicted first. */
export class TokenCache {
  readonly #limit: number
  readonly #verified = new Map<string, Verified>()
  #generation = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Changes whenever the cache is cleared, so that a token that was verified with old keys is not added afterwards. */
  get generation(): number {
    return this.#generation
  }

  get(token: string): Caller | undefined {
    const key = hash('sha256', token, 'base64')
    const found = this.#verified.get(key)
    if (!found) return undefined
    if (found.until > Date.now()) return found.caller
    this.#verified.delete(key)
    return undefined
  }

  set(token: string, caller: Caller, generation: number): void {
    if (generation !== this.#generation || this.#limit === 0 || caller.expiresAt === undefined) return
    if (this.#verified.size >= this.#limit) {
      const oldest = this.#verified.keys().next()
      if (!oldest.done) this.#verified.delete(oldest.value)
    }
    this.#verified.set(hash('sha256', token, 'base64'), { caller, until: caller.expiresAt })
  }

  /** Call it when keys changed: all tokens are verified again. */
  clear(): void {
    this.#generation++
    this.#verified.clear()
  }
}
