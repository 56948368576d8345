import { pause, timeBy } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { DELIVERY, deliveryKey, putDelivery, putDue, type StoredDelivery, webhookOf } from '../delivery.ts'
import type { WebhookSettings } from '../options.ts'
import { signedHeaders } from '../targets/signature.ts'
import { findTarget } from '../targets/targets.ts'
import { LONGEST_WAIT_MS, nextTry } from './back-off.ts'
import { type Claimed, claim, queue } from './claim.ts'
import { type Posted, post } from './post.ts'

/** What came of an attempt: `dead` is not tried again by itself. */
export type DeliveryOutcome = 'delivered' | 'retrying' | 'dead'

/** What a sender works with. */
export interface SenderParts {
  readonly store: Store
  readonly settings: WebhookSettings
  onOutcome(outcome: DeliveryOutcome): void
  onError(error: unknown): void
}

/** How often the queue is looked at: other processes write to it too. */
const LOOK_MS = 1000
/** How many messages are sent at once: to one target, for one tenant, so that its targets cannot hold up those of others, and all together. */
const PER_TARGET = 4
const PER_TENANT = 16
/** A claim lasts longer than an attempt by this factor and this time: what is left is for recording its outcome. */
const CLAIM = { factor: 2, moreMs: 2000 }
const AT_ONCE = 32
/** How often the whole queue is looked through for messages that were queued by a wrong clock. */
const LOOK_FAR_MS = 300_000

/** Sends deliveries when they are due. Any number of processes may have a sender on the same store: each delivery is sent by one of them at a time. */
export class Sender {
  readonly #parts: SenderParts
  readonly #stopping = new AbortController()
  readonly #cut = new AbortController()
  /** How many messages are under way, by target and by tenant. */
  readonly #busy = new Map<string, number>()
  readonly #sending = new Set<Promise<void>>()
  readonly #working: Promise<void>
  /** How long nobody else sends what this process has claimed. */
  readonly #claimMs: number
  #wake = new AbortController()
  #lookedFar = Number.NEGATIVE_INFINITY

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#claimMs = parts.settings.timeoutMs * CLAIM.factor + CLAIM.moreMs
    this.#working = this.#run()
  }

  /** Looks at the queue now. */
  wake(): void {
    this.#wake.abort()
  }

  /** Claims nothing more. Resolves when attempts under way have ended; they are cut off after `graceMs`, and then sent again later. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort()
    const cut = setTimeout(() => this.#cut.abort(), graceMs)
    await this.#working
    await Promise.all(this.#sending)
    clearTimeout(cut)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      this.#wake = new AbortController()
      try {
        await this.#pass()
      } catch (error) {
        this.#parts.onError(error)
      }
      await pause(LOOK_MS, { signal: AbortSignal.any([signal, this.#wake.signal]), clock: this.#parts.store.clock })
    }
  }

  /** Starts what is due and not held up. */
  async #pass(): Promise<void> {
    const { store } = this.#parts
    const far = performance.now() - this.#lookedFar > LOOK_FAR_MS
    for await (const due of queue(store)) {
      const now = this.#now()
      if (this.#sending.size >= AT_ONCE || this.#stopping.signal.aborted) return
      // What is due later than any message can be was queued by a clock that was wrong.
      const waits = due.at > now && due.at - now <= this.#claimMs + LONGEST_WAIT_MS
      if (waits && !far) return
      if (waits) continue
      const target = webhookOf(due.id) ?? ''
      const tenant = tenantKey(due.record.value)
      if (this.#sendingTo(target) >= PER_TARGET || this.#sendingTo(tenant) >= PER_TENANT) continue
      const claimed = await claim(store, due, now + this.#claimMs)
      if (claimed) this.#start(target, claimed)
    }
    if (far) this.#lookedFar = performance.now()
  }

  #start(target: string, claimed: Claimed): void {
    const keys = [target, tenantKey(claimed.delivery.tenant)]
    for (const key of keys) this.#busy.set(key, this.#sendingTo(key) + 1)
    const sending = this.#send(target, claimed)
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#sending.delete(sending)
        for (const key of keys) {
          const left = this.#sendingTo(key) - 1
          if (left > 0) this.#busy.set(key, left)
          else this.#busy.delete(key)
        }
        this.wake()
      })
    this.#sending.add(sending)
  }

  #sendingTo(key: string): number {
    return this.#busy.get(key) ?? 0
  }

  async #send(webhook: string, { delivery, end }: Claimed): Promise<void> {
    const { store, settings } = this.#parts
    const target = await findTarget(store.tenant(delivery.tenant), webhook)
    if (!target) {
      await end([{ op: 'delete', kind: DELIVERY, id: deliveryKey(delivery.tenant, delivery.id) }])
      return
    }
    const { id, body, traceparent } = delivery
    const signed = signedHeaders(target.secrets, { id, now: this.#now(), body })
    const headers = traceparent === undefined ? signed : { ...signed, traceparent }
    const posted = await post(settings, { url: target.url, body, headers, signal: this.#cut.signal })
    if (!posted.ok && this.#cut.signal.aborted) {
      await end([putDue(delivery, this.#now())])
      return
    }
    await this.#record(delivery, posted, end)
  }

  async #record(delivery: StoredDelivery, posted: Posted, end: Claimed['end']): Promise<void> {
    const now = this.#now()
    const { nextAt: _, lastError: __, ...rest } = delivery
    const since = Math.min(delivery.since, now)
    const tried = { ...rest, since, attempts: delivery.attempts + 1 }
    const nextAt = posted.ok ? undefined : nextTry({ attempts: tried.attempts, since, now })
    const outcome: DeliveryOutcome = posted.ok ? 'delivered' : nextAt === undefined ? 'dead' : 'retrying'
    const lastError = posted.ok ? {} : { lastError: posted.error }
    const ended = await end(
      nextAt === undefined
        ? [putDelivery({ ...tried, ...lastError, status: posted.ok ? 'delivered' : 'failed' })]
        : [putDelivery({ ...tried, ...lastError, nextAt }), putDue(delivery, nextAt)],
    )
    if (ended) this.#parts.onOutcome(outcome)
  }

  #now(): number {
    return timeBy(this.#parts.store.clock)
  }
}

/** Ids of targets do not begin like this. */
function tenantKey(tenant: string): string {
  return `tenant ${tenant}`
}
