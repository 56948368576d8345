import { pause } from '../ports/clock.ts'
import type { OutboxRow } from '../ports/outbox.ts'
import { type RecordChange, SYSTEM_TENANT } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { CURSOR } from './cursor.ts'

/** A consumer of the outbox with a cursor in the store. */
export interface Consumer {
  /** The name of its cursor. Processes that consume under the same name share the work. */
  readonly name: string
  /** What to write for these rows. It is written together with the move of the cursor, or not at all. It may be called again with the same rows. */
  handle(rows: readonly OutboxRow[]): Promise<{ changes: readonly RecordChange[]; done?: () => void }>
  /** Rows were deleted before they were consumed. */
  onMissed(): void
  onError(error: unknown): void
}

/** How many rows are handled at once. */
const PAGE = 100
const RETRY_MS = 1000

/**
 * Consumes the outbox until the signal fires. The first consumer of a name begins at the end. The cursor moves only together with what was made of its
 * rows, and only from where this process has read it: rows are neither lost nor handled twice, however many processes take part.
 */
export async function consume(store: Store, consumer: Consumer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await turn(store, consumer, signal)
    } catch (error) {
      if (signal.aborted) return
      consumer.onError(error)
      await pause(RETRY_MS, { signal })
    }
  }
}

async function turn(store: Store, consumer: Consumer, signal: AbortSignal): Promise<void> {
  const records = store.tenant(SYSTEM_TENANT)
  const cursor = await records.readRecord(CURSOR, consumer.name)
  const move = (position: string, changes: readonly RecordChange[] = []) =>
    records.writeRecords([
      { op: 'put', kind: CURSOR, id: consumer.name, value: position, expect: cursor?.version ?? 0 },
      ...changes,
    ])
  if (!cursor) {
    await move((await store.outbox()).end)
    return
  }
  const { rows, end, missed } = await store.outbox({ after: cursor.value, limit: PAGE })
  if (rows.length === 0 && !missed) return store.outboxChanged({ after: cursor.value, signal })
  const { changes, done } = await consumer.handle(rows)
  // Another process was faster, if this is refused.
  const { ok } = await move(end, changes)
  if (!ok) return
  if (missed) consumer.onMissed()
  done?.()
}
