import { allRecords, type RecordChange, type RecordStore, type StoredRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { CURSOR, WEBHOOKS } from './cursor.ts'
import { deliveryRecords } from './deliveries.ts'
import { DELIVERY, DUE, deliveryPrefix, putDelivery, readDue, type StoredDelivery, toDelivery } from './delivery.ts'
import { isEnd } from './happening.ts'
import { erasedBody } from './message.ts'

/**
 * Deletes the deliveries about requests of the store's tenant. Those that wait and say that a request has ended stay, with ids only: whoever was told of
 * the request must be told that nobody can answer it any more. Call it when the requests can no longer be read: what other
 * processes have read of them before cannot be written any more when this resolves.
 */
export async function forgetDeliveries(store: Store, requests: ReadonlySet<string>): Promise<void> {
  const records = deliveryRecords(store)
  await stopWritesUnderWay(records)
  for (;;) {
    const changes: RecordChange[] = []
    /** The deliveries that have content, and whether they stay without it. */
    const stays = new Map<string, boolean>()
    for await (const record of allRecords(records, { kind: DELIVERY, prefix: deliveryPrefix(store.tenantId) })) {
      const delivery = toDelivery(record)
      if (!requests.has(delivery.request)) continue
      const bare = withIdsOnly(delivery)
      if (bare?.body === delivery.body) continue
      stays.set(delivery.id, bare !== undefined)
      changes.push({ ...(bare ? putDelivery(bare) : remove(record)), expect: record.version })
    }
    if (changes.length === 0) return
    // Whoever sends one now can record the outcome, with the content, only while its place in the queue is as it was.
    for await (const place of allRecords(records, { kind: DUE })) {
      const isKept = stays.get(readDue(place.id).id)
      if (isKept === undefined) continue
      const { kind, id, value, version: expect } = place
      changes.push(isKept ? { op: 'put', kind, id, value, expect } : { ...remove(place), expect })
    }
    await records.writeRecords(changes)
  }
}

/** What may be sent of a delivery whose request is gone. `undefined`: nothing. A delivery that ended is of no use without its content. */
function withIdsOnly(delivery: StoredDelivery): StoredDelivery | undefined {
  const { event, request: id, version, tenant, createdAt: at } = delivery
  if (event === 'request.closed') return delivery
  if (delivery.status !== 'waiting' || !isEnd(event)) return undefined
  const { lastError: _, ...rest } = delivery
  return { ...rest, body: erasedBody(event, { at, id, version, tenant }) }
}

function remove({ kind, id }: StoredRecord): Extract<RecordChange, { op: 'delete' }> {
  return { op: 'delete', kind, id }
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
