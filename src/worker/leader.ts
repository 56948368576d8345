import { type Clock, ticks } from '../ports/clock.ts'
import { SYSTEM_TENANT } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

const KIND = 'leader'
/** A leader that did not say so for this long is replaced. */
const LEAD_MS = 5000
/** How often it says so. */
export const RENEW_MS = 1500

/** Who leads. */
interface LeaderParts {
  readonly store: Store
  /** What is led. */
  readonly name: string
  /** This worker. */
  readonly id: string
  readonly clock: Clock | undefined
}

/**
 * Lets one of many workers do what would be wasted if all did it. Two may lead for a moment, when one was frozen: what they do must be harmless if it
 * is done twice.
 */
export class Leader {
  readonly #parts: LeaderParts
  /** The version of the record, while this worker leads. */
  #version: number | undefined
  #renewedAt = 0

  constructor(parts: LeaderParts) {
    this.#parts = parts
  }

  /** Whether this worker led when it last asked. */
  get leads(): boolean {
    return this.#version !== undefined
  }

  /** Becomes the leader if nobody is, or goes on. Resolves to whether this worker leads. */
  async hold(): Promise<boolean> {
    const now = ticks(this.#parts.clock)
    if (this.leads && now - this.#renewedAt < RENEW_MS) return true
    const expected = this.#version
    if (expected === undefined && (await this.#records.readRecord(KIND, this.#parts.name))) return false
    // It does not lead if the answer is lost.
    this.#version = undefined
    const { name, id } = this.#parts
    const put = { op: 'put', kind: KIND, id: name, value: id, ttlMs: LEAD_MS, expect: expected ?? 0 } as const
    const { ok } = await this.#records.writeRecords([put])
    if (!ok) return false
    this.#version = (expected ?? 0) + 1
    this.#renewedAt = now
    return true
  }

  /** Lets another worker lead. */
  async release(): Promise<void> {
    const expected = this.#version
    this.#version = undefined
    if (expected === undefined) return
    await this.#records.writeRecords([{ op: 'delete', kind: KIND, id: this.#parts.name, expect: expected }])
  }

  get #records() {
    return this.#parts.store.tenant(SYSTEM_TENANT)
  }
}
