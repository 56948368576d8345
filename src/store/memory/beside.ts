import type { OutboxStore } from '../../ports/outbox.ts'
import type { RecordStore } from '../../ports/records.ts'
import { outboxAge, rowNumber } from '../shared/outbox.ts'
import { checkRecords } from '../shared/records.ts'
import type { Waiters } from '../shared/waiters.ts'
import type { MemoryTenant } from './data.ts'
import { type MemoryOutbox, outboxEnd, pruneOutbox, readOutbox } from './outbox.ts'
import { findRecords, pruneRecords, readRecord, writeRecords } from './records.ts'

/** The key of those who wait for the outbox. Keys of threads are JSON. */
export const OUTBOX = 'outbox'

/** The parts of a store that its records and the outbox need. */
export interface Besides {
  readonly outbox: MemoryOutbox
  readonly waiters: Waiters
  readonly tenants: ReadonlyMap<string, MemoryTenant>
  /** Throws if the store is closed. */
  tenant(): MemoryTenant
  now(): number
}

/** What a store keeps beside its journals. */
export function besideJournals({ outbox, waiters, tenants, tenant, now }: Besides): RecordStore & OutboxStore {
  return {
    async writeRecords(changes) {
      checkRecords(changes)
      return writeRecords(tenant(), changes, now())
    },
    async readRecord(kind, id) {
      return readRecord(tenant(), { kind, id }, now())
    },
    async readRecords(kind, ids) {
      return [...new Set(ids)].flatMap((id) => readRecord(tenant(), { kind, id }, now()) ?? [])
    },
    async findRecords(query) {
      return findRecords(tenant(), query, now())
    },
    async outbox(query) {
      tenant()
      return readOutbox(outbox, query)
    },
    async outboxChanged({ after, signal }) {
      tenant()
      if (outboxEnd(outbox) <= rowNumber(after)) await waiters.wait(OUTBOX, { after: rowNumber(after), signal })
    },
    async prune(options) {
      tenant()
      pruneOutbox(outbox, now() - outboxAge(options))
      for (const each of tenants.values()) pruneRecords(each, now())
    },
  }
}
