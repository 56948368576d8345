import { timeBy } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { consume } from './consume.ts'
import { WEBHOOKS } from './cursor.ts'
import type { Happening } from './happening.ts'
import { noticesOf } from './notices.ts'
import type { WebhookSettings } from './options.ts'
import { type DeliveryOutcome, Sender } from './sending/sender.ts'

/** What webhooks work with. */
export interface WebhookParts {
  readonly store: Store
  readonly settings: WebhookSettings
  /** Something happened to a request. Of all processes on a store, one is told. */
  onHappening?(happening: Happening): void
  /** How far behind the present the rows were that have been handled. */
  onLag?(ms: number): void
  onOutcome?(outcome: DeliveryOutcome): void
  /** A failure. It is tried again, unless it says otherwise. */
  onError(error: unknown, what: string): void
}

/** Webhooks of a process. */
export interface RunningWebhooks {
  /** Stops. Resolves when nothing is under way; attempts are cut off after `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/** Tells the targets of all tenants of a store what happens, until it is stopped. */
export function startWebhooks(parts: WebhookParts): RunningWebhooks {
  const { store, settings } = parts
  const stopping = new AbortController()
  const sender = new Sender({
    store,
    settings,
    onOutcome: (outcome) => parts.onOutcome?.(outcome),
    onError: (error) => parts.onError(error, 'a webhook could not be sent'),
  })
  const consuming = consume(
    store,
    {
      name: WEBHOOKS,
      async handle(rows) {
        const now = timeBy(store.clock)
        const onUnreadable = (error: unknown) =>
          parts.onError(error, 'a request cannot be read, so no webhook tells about it')
        const { changes, happenings } = await noticesOf({ store, settings, now, onUnreadable }, rows)
        const done = (): void => {
          parts.onLag?.(Math.max(0, now - (rows[0]?.at ?? now)))
          for (const each of happenings) parts.onHappening?.(each)
          if (changes.length > 0) sender.wake()
        }
        return { changes, done }
      },
      onMissed: () => parts.onError(new Error('rows of the outbox were deleted'), 'some webhooks were not sent'),
      onError: (error) => parts.onError(error, 'the outbox cannot be read; webhooks wait'),
    },
    stopping.signal,
  )
  return {
    async stop(graceMs) {
      stopping.abort()
      await Promise.all([consuming, sender.stop(graceMs)])
    },
  }
}
