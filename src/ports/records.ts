/** The tenant whose records belong to the whole store: keys, cursors of consumers, and the queue of webhooks. */
export const SYSTEM_TENANT = 'default'

/**
 * Small records beside the journals: sign-ins, one-time codes, idempotency keys, webhooks, cursors of consumers. Each belongs to the tenant of the
 * store. Values are strings that the store does not read.
 *
 * R1  A write changes all its records or none. Those of an append are changed with it.
 * R2  A change whose `expect` does not hold refuses its whole write, whoever writes at the same time.
 * R3  An expired record is absent for reads, lists and guards.
 */
export interface RecordStore {
  /** Changes records, all or none. */
  writeRecords(changes: readonly RecordChange[]): Promise<RecordOutcome>
  /** One record. */
  readRecord(kind: string, id: string): Promise<StoredRecord | undefined>
  /** Those of these records that exist, each once, in no order. One read, whatever their number. */
  readRecords(kind: string, ids: readonly string[]): Promise<StoredRecord[]>
  /** Records of one kind by id, in pages. */
  findRecords(query: RecordQuery): Promise<RecordPage>
}

/**
 * A change of a record. `expect` refuses it unless the record is at that version, or absent (`0`). Left out, it is written in any case.
 * `put` sets the version one higher; `delete` of an absent record is done already.
 */
export type RecordChange =
  | {
      op: 'put'
      kind: string
      id: string
      value: string
      expect?: number /** From the store's time. Left out: never expires. */
      ttlMs?: number
    }
  | { op: 'delete'; kind: string; id: string; expect?: number }

/** A stored record. */
export interface StoredRecord {
  kind: string
  id: string
  version: number
  value: string
  /** When it was last written. */
  at: number
  expiresAt: number | null
}

/** The outcome of a write. */
export type RecordOutcome =
  | { ok: true; at: number }
  | { ok: false; conflict: { kind: 'record'; id: string }; now: number }

/** A query for records. `cursor` is the `next` of the previous page. */
export interface RecordQuery {
  kind: string
  /** Only ids that begin with this. */
  prefix?: string
  /** 1 to 500; default 50. */
  limit?: number
  cursor?: string
}

/** One page of records by id, in character order. */
export interface RecordPage {
  records: StoredRecord[]
  next?: string
}

const LARGEST_PAGE = 500

/** All records of a kind, a page at a time. */
export async function* allRecords(
  records: RecordStore,
  query: Pick<RecordQuery, 'kind' | 'prefix'>,
): AsyncGenerator<StoredRecord, void, void> {
  let cursor: string | undefined
  do {
    const page = await records.findRecords({
      ...query,
      limit: LARGEST_PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    })
    yield* page.records
    cursor = page.next
  } while (cursor !== undefined)
}
