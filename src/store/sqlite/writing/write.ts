import type { RecordChange, RecordOutcome } from '../../../ports/records.ts'
import type { Append, AppendOutcome, LeaseClaim } from '../../../ports/store.ts'
import type { Trust } from '../../shared/verify.ts'
import type { Salts } from '../../sql/salts.ts'
import { applyAppend, applyRenewal } from '../append.ts'
import type { Connection } from '../connection/connection.ts'
import { prune } from '../outbox.ts'
import { writeRecords } from '../records.ts'

/** What a transaction may carry. It is data, so that another thread can apply it. */
export type Write =
  | { readonly op: 'append'; readonly tenant: string; readonly append: Append }
  | {
      readonly op: 'renew'
      readonly tenant: string
      readonly threadId: string
      readonly renewal: LeaseClaim & { ttlMs: number }
    }
  | { readonly op: 'records'; readonly tenant: string; readonly changes: readonly RecordChange[] }
  | { readonly op: 'prune'; readonly outboxMs: number }

/** What each of them answers. */
export interface Outcomes {
  append: AppendOutcome
  renew: boolean
  records: RecordOutcome
  prune: undefined
}

/** A write to be made. */
export interface TimedWrite {
  readonly write: Write
  /** When it counts as made. Without one, the clock of the thread that makes it says. */
  readonly time?: number | undefined
  /** How long it has waited already while others held the lock. */
  readonly waitedMs?: number
}

/** What writes are made with. */
export interface Writing {
  readonly salts: Salts
  readonly trust: Trust
  now(): number
}

/** Makes a write. Call it inside a write transaction. */
export function applyWrite(connection: Connection, { salts, trust, now }: Writing, { write, time }: TimedWrite) {
  const at = time ?? now()
  switch (write.op) {
    case 'append':
      return applyAppend({ connection, tenant: write.tenant, time: at, salts, trust }, write.append)
    case 'renew':
      return applyRenewal({ connection, tenant: write.tenant, time: at }, write.threadId, write.renewal)
    case 'records':
      return writeRecords({ connection, tenant: write.tenant, now: at }, write.changes)
    case 'prune':
      prune(connection, { now: at, before: at - write.outboxMs })
      return undefined
  }
  write satisfies never
}
