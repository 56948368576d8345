import { type RecordChange, type StoredRecord, SYSTEM_TENANT } from '../../ports/records.ts'
import type { Store } from '../../ports/store.ts'
import { DELIVERY, DUE, deliveryKey, putDue, readDue, type StoredDelivery, toDelivery } from '../delivery.ts'

const PAGE = 500
/** How far the queue is searched past deliveries to targets that are busy. */
const MOST_PAGES = 20

/** A delivery that this process sends now. */
export interface Claimed {
  readonly delivery: StoredDelivery
  /** Ends the claim with these changes. `false`: it was no longer this process's, and nothing was changed. */
  end(changes: readonly RecordChange[]): Promise<boolean>
}

/** A place in the queue. */
export interface Due {
  readonly at: number
  readonly id: string
  readonly record: StoredRecord
}

/** The queue in the order of time, at most as far as is searched in one go. */
export async function* queue(store: Store): AsyncGenerator<Due> {
  const records = store.tenant(SYSTEM_TENANT)
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const found = await records.findRecords({ kind: DUE, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    for (const record of found.records) yield { record, ...readDue(record.id) }
    cursor = found.next
    if (cursor === undefined) return
  }
}

/**
 * Claims a delivery until a time: its place in the queue moves there. If this process dies, another sends it then. `undefined`: another process
 * has it, or it is gone.
 */
export async function claim(store: Store, { record, id }: Due, until: number): Promise<Claimed | undefined> {
  const records = store.tenant(SYSTEM_TENANT)
  const tenant = record.value
  const moved = putDue({ tenant, id }, until)
  const taken = await records.writeRecords([
    { op: 'delete', kind: DUE, id: record.id, expect: record.version },
    { ...moved, expect: 0 },
  ])
  if (!taken.ok) return undefined
  const release: RecordChange = { op: 'delete', kind: DUE, id: moved.id, expect: 1 }
  const found = await records.readRecord(DELIVERY, deliveryKey(tenant, id))
  if (!found) {
    await records.writeRecords([release])
    return undefined
  }
  return {
    delivery: toDelivery(found),
    end: async (changes) => (await records.writeRecords([release, ...changes])).ok,
  }
}
