import type { Store } from '../index.ts'
import { bodyHash, CHAIN_START, chainHash } from '../protocol/chain.ts'

/** What came of checking a thread's chain. `seq` is the first entry that is not what was written. */
export type ChainCheck = { ok: true; entries: number } | { ok: false; seq: number; problem: string }

/**
 * Computes a thread's chain again from its first entry: each hash must follow from the entry before it, its own header and its own body.
 * Who can write the file can also compute a whole new chain; that shows only against a copy of the last hash kept elsewhere.
 */
export async function verifyChain(store: Store, threadId: string): Promise<ChainCheck> {
  const { version } = await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })
  const entries = await store.readChain(threadId)
  let previous = CHAIN_START
  for (const [index, { seq, at, body, salt, hash }] of entries.entries()) {
    const expected = index + 1
    if (seq !== expected) return { ok: false, seq: expected, problem: 'it is missing' }
    const computed = chainHash({ tenant: store.tenantId, threadId, seq, at }, previous, bodyHash(salt, body))
    if (!Buffer.from(computed).equals(hash)) {
      return { ok: false, seq, problem: 'its body, time or place is not what was written' }
    }
    previous = computed
  }
  if (entries.length < version) return { ok: false, seq: entries.length + 1, problem: 'it is missing' }
  return { ok: true, entries: entries.length }
}
