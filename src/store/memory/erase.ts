import type { Append } from '../../ports/store.ts'
import { type MemoryTenant, type MemoryThread, removeIndexed } from './data.ts'
import { readChain } from './read.ts'

/** Replaces every body and salt of a thread, and removes its requests and grants. Consumers of the outbox learn it. */
export function eraseThread(
  tenant: MemoryTenant,
  { thread, now }: { thread: MemoryThread; now: number },
  { body, salt }: NonNullable<Append['erase']>,
): void {
  // The hashes of entries that no auditor has read yet are computed from the bodies.
  readChain(tenant, thread.id)
  thread.bodies.fill(body)
  for (const link of thread.links) link.salt = new Uint8Array(salt)
  thread.erased = true
  thread.snapshots.clear()
  removeIndexed(tenant, thread)
  const place = { tenantId: tenant.id, threadId: thread.id, id: thread.id }
  tenant.outbox.rows.push({ ...place, subject: 'thread', what: 'erased', version: 0, at: now })
}
