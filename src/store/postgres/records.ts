import type { RecordChange, RecordOutcome, RecordPage, RecordQuery, StoredRecord } from '../../ports/records.ts'
import { planRecord, planRecords, RECORD_COLUMNS, toRecord } from '../sql/find-records.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import type { View } from './read.ts'
import { scopeOf } from './requests.ts'
import { dialectOf, numbered } from './tables/schema.ts'
import { patienceOf, type StoreTime } from './time.ts'

/** Changes of records as SQL functions take them. */
export function recordValues(changes: readonly RecordChange[] | undefined): string | null {
  return changes && changes.length > 0 ? JSON.stringify(changes) : null
}

/** Changes records, all or none. The id names this write, so that it can be repeated if no answer came. */
export async function writeRecords(
  run: Run,
  { schema, tenant }: View,
  {
    id,
    changes,
    time,
    timeoutMs,
  }: { id: Uint8Array; changes: readonly RecordChange[]; time: StoreTime; timeoutMs: number },
): Promise<RecordOutcome> {
  const [row] = await run.kept(`SELECT ${prefixOf(schema)}write_records($1, $2, $3, $4, $5, $6) AS outcome`, [
    tenant,
    Buffer.from(id),
    ...time.values(),
    recordValues(changes) ?? '[]',
    patienceOf(timeoutMs),
  ])
  const outcome = JSON.parse(row?.outcome as string) as RecordOutcome
  time.saw(outcome.ok ? outcome.at : outcome.now)
  return outcome
}

/** One record. */
export async function readRecord(
  run: Run,
  view: View,
  { kind, id, time }: { kind: string; id: string; time: StoreTime },
): Promise<StoredRecord | undefined> {
  const { sql, values } = planRecord(dialectOf(view.schema), scopeOf(view, time), { kind, id })
  const [row] = await run.kept(numbered(sql), values)
  return row && toRecord(row)
}

/** Several records. The time is taken once: the function would be called for each row. */
export async function readRecords(
  run: Run,
  { schema, tenant }: View,
  { kind, ids, time }: { kind: string; ids: readonly string[]; time: StoreTime },
): Promise<StoredRecord[]> {
  const prefix = prefixOf(schema)
  const rows = await run.kept(
    `SELECT ${RECORD_COLUMNS} FROM ${prefix}records WHERE tenant = $1 AND kind = $2 AND id = ANY($3::text[])
      AND (expires_at IS NULL OR expires_at > (SELECT ${prefix}clock_ms($4, $5)))`,
    [tenant, kind, ids, ...time.values()],
  )
  return rows.map(toRecord)
}

/** A page of records. */
export async function findRecords(
  run: Run,
  view: View,
  { time, ...query }: RecordQuery & { time: StoreTime },
): Promise<RecordPage> {
  const plan = planRecords(dialectOf(view.schema), scopeOf(view, time), query)
  return plan.page(await run(numbered(plan.query.sql), plan.query.values))
}
