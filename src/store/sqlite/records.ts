import type { RecordChange, RecordOutcome, RecordPage, RecordQuery, StoredRecord } from '../../ports/records.ts'
import { type JudgedRecords, judgeRecords, type NextRecord } from '../shared/records.ts'
import { planRecord, planRecords, toRecord } from '../sql/find-records.ts'
import type { Connection } from './connection/connection.ts'
import { SQLITE } from './tables/schema.ts'

/** The records of a tenant at a time. */
export interface RecordPlace {
  readonly connection: Connection
  readonly tenant: string
  readonly now: number
}

/** Judges changes. Call it inside a write transaction. */
export function judge(place: RecordPlace, changes: readonly RecordChange[]): JudgedRecords {
  return judgeRecords(changes, { now: place.now, find: (kind, id) => readRecord(place, kind, id) })
}

/** Changes records, all or none. Call it inside a write transaction. */
export function writeRecords(place: RecordPlace, changes: readonly RecordChange[]): RecordOutcome {
  const judged = judge(place, changes)
  if ('refused' in judged) return { ok: false, conflict: { kind: 'record', id: judged.refused }, now: place.now }
  applyRecords(place, judged.records)
  return { ok: true, at: place.now }
}

/** Applies changes that passed their guards. */
export function applyRecords(
  { connection, tenant }: Pick<RecordPlace, 'connection' | 'tenant'>,
  records: ReadonlyMap<string, NextRecord>,
): void {
  for (const { kind, id, next } of records.values()) {
    if (next) {
      connection
        .statement(
          'INSERT OR REPLACE INTO records (tenant, kind, id, version, at, expires_at, value) VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        .run([tenant, kind, id, next.version, next.at, next.expiresAt, next.value])
    } else {
      connection.statement('DELETE FROM records WHERE tenant = ? AND kind = ? AND id = ?').run([tenant, kind, id])
    }
  }
}

/** One record. */
export function readRecord(
  { connection, tenant, now }: RecordPlace,
  kind: string,
  id: string,
): StoredRecord | undefined {
  const scope = { tenant, clock: { sql: '?', values: [now] } }
  const { sql, values } = planRecord(SQLITE, scope, { kind, id })
  const row = connection.statement(sql).get(values)
  return row && toRecord(row)
}

/** A page of records. */
export function findRecords({ connection, tenant, now }: RecordPlace, query: RecordQuery): RecordPage {
  const plan = planRecords(SQLITE, { tenant, clock: { sql: '?', values: [now] } }, query)
  return plan.page(connection.statement(plan.query.sql).all(plan.query.values))
}
