import type { Append, LeaseChange, Store } from '../../ports/store.ts'
import { ThreadBusy } from '../../protocol/errors/errors.ts'
import { uuidSource } from '../../protocol/uuid.ts'

/**
 * Appends while nobody drives the thread: who does would go on with what they have. `what` is told to those who look at the lease meanwhile. `false`:
 * the thread has changed since it was read. Throws `ThreadBusy`.
 */
export async function appendUndriven(store: Store, append: Append, what: string): Promise<boolean> {
  const lease: LeaseChange = { op: 'take', holder: `${what}|${uuidSource()()}`, ttlMs: 1000, thenDrop: true }
  const outcome = await store.append({ ...append, lease })
  if (outcome.ok) return true
  const { conflict } = outcome
  if (conflict.kind === 'lease') throw new ThreadBusy(append.threadId, conflict.lease?.holder ?? '')
  return false
}
