import { createHash } from 'node:crypto'
import { z } from 'zod'
import { allRecords, type RecordChange, type StoredRecord, SYSTEM_TENANT } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { lazy } from '../protocol/checks/lazy.ts'
import { actor } from '../protocol/decision.ts'

/** The kind of records of threads that are erased, and whose traces elsewhere may not be. Each belongs to its thread's tenant. */
export const ERASURE = 'erasure'

/** The kind of records that name tenants which may have such threads. They belong to `SYSTEM_TENANT`. */
const ERASING = 'erasing'

const pending = lazy(() =>
  z.object({
    entries: z.number(),
    requests: z.array(z.string()),
    /** Records about a call from outside: the one that leads to its thread, and the bookmark of its conversation. */
    gate: z.object({ slot: z.string().exactOptional(), bookmark: z.string() }).exactOptional(),
    by: actor(),
    reason: z.string(),
  }),
)

/** What was erased, by whom and why, until it is on record and nothing is left of it elsewhere. */
export type PendingErasure = z.infer<ReturnType<typeof pending>>

/** Written in the append that erases the thread. */
export function putPending(threadId: string, erasure: PendingErasure): RecordChange {
  return { op: 'put', kind: ERASURE, id: threadId, value: JSON.stringify(erasure) }
}

/** Reads such a record. */
export function readPending({ value }: StoredRecord): PendingErasure {
  return pending().parse(JSON.parse(value))
}

/** All of a tenant. */
export function pendingOf(store: Store): AsyncGenerator<StoredRecord, void, void> {
  return allRecords(store, { kind: ERASURE })
}

/** How long a tenant is remembered after its last erasure. */
const KEPT_MS = 30 * 86_400_000

/** Remembers that threads of the store's tenant are about to be erased, so that others can complete it. */
export async function announce(store: Store): Promise<void> {
  const { tenantId } = store
  const own = { kind: ERASING, id: keyOf(tenantId), value: tenantId }
  await store.tenant(SYSTEM_TENANT).writeRecords([{ op: 'put', ...own, ttlMs: KEPT_MS }])
}

/** The tenants that were announced. */
export async function announced(store: Store): Promise<string[]> {
  const found: string[] = []
  for await (const { value } of allRecords(store.tenant(SYSTEM_TENANT), { kind: ERASING })) found.push(value)
  return found
}

/** Names of tenants may be longer, and have characters that ids of records may not. */
function keyOf(tenantId: string): string {
  return createHash('sha256').update(tenantId).digest('hex')
}
