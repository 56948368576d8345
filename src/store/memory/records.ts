import type { RecordChange, RecordOutcome, RecordPage, RecordQuery, StoredRecord } from '../../ports/records.ts'
import { pageLimit } from '../shared/page.ts'
import { idRange, judgeRecords, live, type NextRecord, recordKey } from '../shared/records.ts'
import { textAfter } from '../shared/text-order.ts'
import type { MemoryTenant } from './data.ts'

/** Changes records, all or none. */
export function writeRecords(tenant: MemoryTenant, changes: readonly RecordChange[], now: number): RecordOutcome {
  const judged = judgeRecords(changes, { now, find: (kind, id) => tenant.records.get(recordKey(kind, id)) })
  if ('refused' in judged) return { ok: false, conflict: { kind: 'record', id: judged.refused }, now }
  applyRecords(tenant, judged.records)
  return { ok: true, at: now }
}

/** Applies changes that passed their guards. */
export function applyRecords(tenant: MemoryTenant, records: ReadonlyMap<string, NextRecord>): void {
  for (const [key, { next }] of records) {
    if (next) tenant.records.set(key, next)
    else tenant.records.delete(key)
  }
}

/** One record, as a copy. */
export function readRecord(
  tenant: MemoryTenant,
  { kind, id }: { kind: string; id: string },
  now: number,
): StoredRecord | undefined {
  const record = live(tenant.records.get(recordKey(kind, id)), now)
  return record && { ...record }
}

/** A page of records of one kind. The cursor is the last id of the page before. */
export function findRecords(tenant: MemoryTenant, query: RecordQuery, now: number): RecordPage {
  const limit = pageLimit(query.limit)
  const [from] = idRange(query)
  const found = [...tenant.records.values()]
    .filter(({ kind, id }) => kind === query.kind && id.startsWith(from))
    .filter((record) => live(record, now) && textAfter(record.id, query.cursor ?? ''))
    .sort((a, b) => (textAfter(a.id, b.id) ? 1 : -1))
  const records = found.slice(0, limit).map((record) => ({ ...record }))
  return found.length > limit ? { records, next: records.at(-1)!.id } : { records }
}

/** Deletes expired records. */
export function pruneRecords(tenant: MemoryTenant, now: number): void {
  for (const [key, record] of tenant.records) if (!live(record, now)) tenant.records.delete(key)
}
