import type { OutboxPage, OutboxQuery, OutboxRow } from '../../ports/outbox.ts'
import { outboxLimit, rowNumber } from '../shared/outbox.ts'

/** A row without its position. */
type Told = Omit<OutboxRow, 'position'>

/** The outbox of all tenants. Row `n` is at index `n - dropped - 1`. */
export interface MemoryOutbox {
  readonly rows: Told[]
  /** How many rows were deleted, all from the beginning. */
  dropped: number
}

/** The number of the last row. */
export function outboxEnd({ rows, dropped }: MemoryOutbox): number {
  return dropped + rows.length
}

/** Rows after a position. */
export function readOutbox(outbox: MemoryOutbox, query: OutboxQuery = {}): OutboxPage {
  const limit = outboxLimit(query)
  const last = outboxEnd(outbox)
  if (query.after === undefined) return { rows: [], end: String(last), missed: false }
  const after = rowNumber(query.after)
  const missed = after < outbox.dropped || after > last
  const start = Math.min(Math.max(after, outbox.dropped), last)
  const rows: OutboxRow[] = []
  for (let index = start - outbox.dropped; index < outbox.rows.length && rows.length < limit; index++) {
    const row = outbox.rows[index]!
    if (query.tenantId === undefined || row.tenantId === query.tenantId)
      rows.push({ position: String(outbox.dropped + index + 1), ...row })
  }
  return { rows, end: rows.length === limit ? rows.at(-1)!.position : String(last), missed }
}

/** Deletes rows that are older than a time. */
export function pruneOutbox(outbox: MemoryOutbox, before: number): void {
  const kept = outbox.rows.findIndex(({ at }) => at >= before)
  const gone = kept === -1 ? outbox.rows.length : kept
  outbox.rows.splice(0, gone)
  outbox.dropped += gone
}
