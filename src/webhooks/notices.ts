import type { OutboxRow } from '../ports/outbox.ts'
import type { RecordChange } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { type ErrorCode, HoldpointError } from '../protocol/errors/errors.ts'
import { toTraceparent } from '../protocol/trace-context.ts'
import { deliveryId, putDelivery, putDue, type StoredDelivery } from './delivery.ts'
import { type Happening, readHappening } from './happening.ts'
import { messageBody } from './message.ts'
import type { WebhookSettings } from './options.ts'
import { listTargets, type Target } from './targets/targets.ts'

/** What to write for some rows, and what happened in them. */
export interface Notices {
  changes: RecordChange[]
  happenings: Happening[]
}

const BROKEN: readonly ErrorCode[] = ['journal_invalid', 'store_corrupt']

/** What notices are made with. */
export interface NoticeParts {
  readonly store: Store
  readonly settings: WebhookSettings
  readonly now: number
  /** A request will never be readable. Nobody is told about it, and the rest goes on. */
  onUnreadable(error: unknown): void
}

/** The deliveries for rows of the outbox: one for each target of the row's tenant that wants the event. Writes nothing. */
export async function noticesOf(
  { store, settings, now, onUnreadable }: NoticeParts,
  rows: readonly OutboxRow[],
): Promise<Notices> {
  const targets = new Map<string, Promise<Target[]>>()
  const targetsOf = (tenant: string): Promise<Target[]> => {
    const known = targets.get(tenant) ?? listTargets(store.tenant(tenant))
    targets.set(tenant, known)
    return known
  }
  const happenings: Happening[] = []
  const changes: RecordChange[] = []
  for (const row of rows) {
    const happening = await readHappening(store, row).catch((error: unknown) => {
      if (!isBroken(error)) throw error
      onUnreadable(error)
    })
    if (!happening) continue
    happenings.push(happening)
    const { event } = happening
    const traceparent = toTraceparent('trace' in happening ? happening.trace : undefined)
    for (const target of await targetsOf(row.tenantId)) {
      if (!target.enabled || !target.events.includes(event)) continue
      const delivery: StoredDelivery = {
        id: deliveryId(target.id, row),
        tenant: row.tenantId,
        event,
        request: row.id,
        version: row.version,
        status: 'waiting',
        attempts: 0,
        nextAt: now,
        createdAt: row.at,
        since: now,
        body: messageBody(happening, settings),
        ...(traceparent === undefined ? {} : { traceparent }),
      }
      changes.push(putDelivery(delivery), putDue(delivery, now))
    }
  }
  return { changes, happenings }
}

/** Whether what is stored is broken: the same read will fail again. */
function isBroken(error: unknown): boolean {
  return HoldpointError.isInstance(error) && BROKEN.includes(error.code)
}
