import type { RecordPage, RecordQuery, StoredRecord } from '../../ports/records.ts'
import { pageLimit } from '../shared/page.ts'
import { idRange } from '../shared/records.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'
import type { Scope, Value } from './request-plan.ts'

/** The columns that {@link toRecord} takes. */
export const RECORD_COLUMNS = 'kind, id, version, value, at, expires_at'

/** The query for one record. */
export function planRecord(
  { prefix }: Dialect,
  { tenant, clock }: Scope,
  { kind, id }: { kind: string; id: string },
): SqlQuery<Value> {
  return {
    sql: `SELECT ${RECORD_COLUMNS} FROM ${prefix}records WHERE tenant = ? AND kind = ? AND id = ?
      AND (expires_at IS NULL OR expires_at > ${clock.sql})`,
    values: [tenant, kind, id, ...clock.values],
  }
}

/** The query for a page of records. */
export interface RecordPagePlan {
  readonly query: SqlQuery<Value>
  page(rows: readonly SqlRow[]): RecordPage
}

/** Plans the query, in the order of the primary key. */
export function planRecords({ prefix }: Dialect, { tenant, clock }: Scope, query: RecordQuery): RecordPagePlan {
  const limit = pageLimit(query.limit)
  return {
    query: {
      sql: `SELECT ${RECORD_COLUMNS} FROM ${prefix}records WHERE tenant = ? AND kind = ? AND id >= ? AND id < ? AND id > ?
        AND (expires_at IS NULL OR expires_at > ${clock.sql}) ORDER BY id LIMIT ?`,
      values: [tenant, query.kind, ...idRange(query), query.cursor ?? '', ...clock.values, limit + 1],
    },
    page(rows) {
      const records = rows.slice(0, limit).map(toRecord)
      return rows.length > limit ? { records, next: records.at(-1)!.id } : { records }
    },
  }
}

/** A row of these queries. */
export function toRecord(row: SqlRow): StoredRecord {
  return {
    kind: row.kind as string,
    id: row.id as string,
    version: Number(row.version),
    value: row.value as string,
    at: Number(row.at),
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
  }
}
