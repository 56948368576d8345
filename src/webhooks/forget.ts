import { allRecords, type RecordStore, type StoredRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { CURSOR, WEBHOOKS } from './cursor.ts'
import { deliveryRecords } from './deliveries.ts'
import { DELIVERY, DUE, deliveryPrefix, readDue, toDelivery } from './delivery.ts'
import type { WebhookEvent } from './targets/targets.ts'

const CLOSED: WebhookEvent = 'request.closed'

/**
 * Deletes the deliveries about requests of the store's tenant, whatever became of them. Those stay that say that a request was closed: they have ids only,
 * and whoever was told of the request must be told that it is gone. Call it when the requests can no longer be read: what other
 * processes have read of them before cannot be written any more when this resolves.
 */
export async function forgetDeliveries(store: Store, requests: ReadonlySet<string>): Promise<void> {
  const records = deliveryRecords(store)
  await stopWritesUnderWay(records)
  const ids = new Set<string>()
  for (;;) {
    const found: StoredRecord[] = []
    for await (const record of allRecords(records, { kind: DELIVERY, prefix: deliveryPrefix(store.tenantId) })) {
      const { id, request, event } = toDelivery(record)
      if (!requests.has(request) || event === CLOSED) continue
      ids.add(id)
      found.push(record)
    }
    // Who sends one now can record the outcome only while it is in the queue.
    if (ids.size > 0)
      for await (const record of allRecords(records, { kind: DUE }))
        if (ids.has(readDue(record.id).id)) found.push(record)
    if (found.length === 0) return
    await records.writeRecords(found.map(({ kind, id }) => ({ op: 'delete', kind, id })))
  }
}

/** Writes the cursor as it is. Whoever makes deliveries of what was read before finds it changed, and reads again. */
async function stopWritesUnderWay(records: RecordStore): Promise<void> {
  for (;;) {
    const cursor = await records.readRecord(CURSOR, WEBHOOKS)
    if (!cursor) return
    const { value, version: expect } = cursor
    const { ok } = await records.writeRecords([{ op: 'put', kind: CURSOR, id: WEBHOOKS, value, expect }])
    if (ok) return
  }
}
