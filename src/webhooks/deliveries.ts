import { randomBytes } from 'node:crypto'
import { SYSTEM_TENANT } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import type { Delivery } from '../protocol/api/records.ts'
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
  const { records, next } = await store.tenant(SYSTEM_TENANT).findRecords({
    kind: DELIVERY,
    prefix: deliveryPrefix(store.tenantId, webhook),
    limit,
    ...(cursor === undefined ? {} : { cursor }),
  })
  const deliveries = records.map((each) => toShown(toDelivery(each)))
  return next === undefined ? { deliveries } : { deliveries, next }
}

/** Sends a delivery that failed, or was delivered, again, with the same id. `undefined`: there is no such delivery, or its target is gone. */
export async function resend(store: Store, id: string, now: number): Promise<Delivery | undefined> {
  const webhook = webhookOf(id)
  const records = store.tenant(SYSTEM_TENANT)
  const found = webhook && (await records.readRecord(DELIVERY, deliveryKey(store.tenantId, id)))
  if (!found || !(await store.readRecord('webhook', webhook))) return undefined
  const before = toDelivery(found)
  if (before.status === 'waiting') return toShown(before)
  const { lastError: _, ...rest } = before
  const again: StoredDelivery = { ...rest, status: 'waiting', attempts: 0, since: now, nextAt: now }
  const put = { ...putDelivery(again), expect: found.version }
  const { ok } = await records.writeRecords([put, putDue(again, now)])
  return ok ? toShown(again) : resend(store, id, now)
}

/** Sends a test message to a target. */
export async function sendTest(store: Store, webhook: string, now: number): Promise<Delivery> {
  const id = deliveryId(webhook, { position: `test ${randomBytes(12).toString('hex')}`, at: now })
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
  await store.tenant(SYSTEM_TENANT).writeRecords([putDelivery(delivery), putDue(delivery, now)])
  return toShown(delivery)
}
