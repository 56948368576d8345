import type { Store } from '../../index.ts'
import { type ChainedEntry, StoreCorrupt, type ThreadHead } from '../../ports.ts'
import type { AuditKey } from '../../protocol/chain/audit-key.ts'
import { checkChain, problemOfErasure } from '../../protocol/chain/find-break.ts'
import { AuditKeyMissing } from '../../protocol/errors/errors.ts'
import { checkSigned } from '../../store/shared/audit.ts'
import type { Anchor } from './anchors.ts'

/** The result of checking a thread's hash chain. `seq` is the first wrong entry, or 0 if the problem is about the whole thread. */
export type ChainCheck =
  | { ok: true; entries: number; erased: number; head: { version: number; hash: string; key?: string } }
  | { ok: false; seq: number; problem: string }

/** What a thread is checked against besides its own chain. */
export interface Witnesses {
  readonly auditKeys: readonly AuditKey[]
  /** Its head at an earlier time. */
  readonly anchor?: Anchor | undefined
}

/**
 * Computes a thread's hash chain again from its first entry: each hash must follow from the one before it, the entry's header and its body.
 * Anyone who can write the store can also compute a new chain, or cut off its end. The signature of the head, or an anchor, shows that.
 */
export async function verifyChain(
  store: Store,
  threadId: string,
  { auditKeys, anchor }: Witnesses,
): Promise<ChainCheck> {
  const { head, entries } = await readWhole(store, threadId)
  const { broken: found, erased } = checkChain({
    tenant: store.tenantId,
    threadId,
    after: 0,
    previous: undefined,
    entries,
    links: entries,
    end: head,
  })
  if (found) return { ok: false, ...found }
  if (entries.length > head.version) return { ok: false, seq: head.version + 1, problem: 'the thread ended before it' }
  const problem =
    problemOfErasure(head, erased) ??
    problemOfSignature(auditKeys, { store, threadId, head }) ??
    (anchor && problemOfAnchor(anchor, entries))
  if (problem !== undefined) return { ok: false, seq: 0, problem }
  const hash = Buffer.from(head.hash).toString('hex')
  return {
    ok: true,
    entries: entries.length,
    erased,
    head: { version: head.version, hash, ...(head.mac ? { key: head.mac.key } : {}) },
  }
}

/** Reads again if the thread grew between reading its head and its entries. */
async function readWhole(store: Store, threadId: string): Promise<{ head: ThreadHead; entries: ChainedEntry[] }> {
  for (let tries = 0; ; tries++) {
    const head = await store.readHead(threadId)
    const entries = await store.readChain(threadId)
    if (entries.length <= head.version || tries === 5) return { head, entries }
  }
}

function problemOfSignature(
  auditKeys: readonly AuditKey[],
  { store, threadId, head }: { store: Store; threadId: string; head: ThreadHead },
): string | undefined {
  try {
    checkSigned(auditKeys, { store: 'this store', tenant: store.tenantId, threadId }, head, 'read')
    return undefined
  } catch (error) {
    if (error instanceof StoreCorrupt) return error.problem
    if (error instanceof AuditKeyMissing)
      return `it is signed with the audit key ${JSON.stringify(error.keyId)}, which was not given`
    throw error
  }
}

function problemOfAnchor({ version, hash }: Anchor, entries: readonly ChainedEntry[]): string | undefined {
  const then = version === 0 ? undefined : entries[version - 1]
  if (version > entries.length) return `it has ${entries.length} entries, and had ${version}: its end was cut off`
  if (then && Buffer.from(then.hash).toString('hex') !== hash)
    return `its entry ${version} is not the one that was anchored: the chain was computed anew`
  return undefined
}
