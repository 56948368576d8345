import { randomBytes } from 'node:crypto'
import type { RecordChange, RecordStore } from '../ports/records.ts'
import { SYSTEM_TENANT } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import type { Delivery } from '../protocol/api/webhooks.ts'
import {
  DELIVERY,
  deliveryId,
  deliveryKey,
  deliveryPrefix,
  putDelivery,
  putDue,
  type StoredDelivery,
  toDelivery,
  toShown,
  webhookOf,
} from './delivery.ts'
import { requireWritten } from './require-written.ts'

/** A query for deliveries. `cursor` is the `next` of the previous page. */
export interface DeliveryQuery {
  webhook: string
  limit?: number | undefined
  cursor?: string | undefined
}

/** The deliveries to one target of the store's tenant, newest first, in pages. */
export async function listDeliveries(
  store: Store,
  { webhook, limit = 50, cursor }: DeliveryQuery,
): Promise<{ deliveries: Delivery[]; next?: string }> {
  const { records, next } = await deliveryRecords(store).findRecords({
    kind: DELIVERY,
    prefix: deliveryPrefix(store.tenantId, webhook),
    limit,
    ...(cursor === undefined ? {} : { cursor }),
  })
  const deliveries = records.map((each) => toShown(toDelivery(each)))
  return next === undefined ? { deliveries } : { deliveries, next }
}

/** Sends a delivery that failed, or was delivered, again, with the same id. `undefined`: there is no such delivery, or its target is gone. */
export async function resend(store: Store, id: string, change: DeliveryWrite): Promise<Delivery | undefined> {
  const { now, also = [] } = change
  const webhook = webhookOf(id)
  const records = deliveryRecords(store)
  const found = webhook && (await records.readRecord(DELIVERY, deliveryKey(store.tenantId, id)))
  if (!found || !(await store.readRecord('webhook', webhook))) return undefined
  const before = toDelivery(found)
  if (before.status === 'waiting') {
    if (also.length > 0) requireWritten(await records.writeRecords(also))
    return toShown(before)
  }
  const { lastError: _, ...rest } = before
  const again: StoredDelivery = { ...rest, status: 'waiting', attempts: 0, since: now, nextAt: now }
  const put = { ...putDelivery(again), expect: found.version }
  const outcome = await records.writeRecords([put, putDue(again, now), ...also])
  if (!outcome.ok && outcome.conflict.id === put.id) return resend(store, id, change)
  requireWritten(outcome)
  return toShown(again)
}

/** When a delivery is written, and what else is written in the same transaction, to {@link deliveryRecords}. */
interface DeliveryWrite {
  readonly now: number
  readonly also?: readonly RecordChange[]
}

/** Where deliveries of all tenants are kept. */
export function deliveryRecords(store: Store): RecordStore {
  return store.tenant(SYSTEM_TENANT)
}

/** A delivery of the store's tenant. */
export async function findDelivery(store: Store, id: string): Promise<Delivery | undefined> {
  if (webhookOf(id) === undefined) return undefined
  const found = await deliveryRecords(store).readRecord(DELIVERY, deliveryKey(store.tenantId, id))
  return found && toShown(toDelivery(found))
}

/** An id for a test message. */
export function testId(webhook: string, now: number): string {
  return deliveryId(webhook, { position: `test ${randomBytes(12).toString('hex')}`, at: now })
}

/** Sends a test message to a target. */
export async function sendTest(
  store: Store,
  webhook: string,
  { now, id = testId(webhook, now), also = [] }: DeliveryWrite & { id?: string },
): Promise<Delivery> {
  const body = JSON.stringify({
    type: 'webhook.test',
    timestamp: new Date(now).toISOString(),
    data: { webhook, tenant: store.tenantId },
  })
  const delivery: StoredDelivery = {
    id,
    tenant: store.tenantId,
    event: 'webhook.test',
    request: '',
    version: 0,
    status: 'waiting',
    attempts: 0,
    nextAt: now,
    createdAt: now,
    since: now,
    body,
  }
  requireWritten(await deliveryRecords(store).writeRecords([putDelivery(delivery), putDue(delivery, now), ...also]))
  return toShown(delivery)
}
