import { type AuditKey, type HeadMac, sameSignature, signEnd } from '../../protocol/chain/audit-key.ts'
import type { ChainEnd } from '../../protocol/chain/find-break.ts'
import { AuditKeyMissing, StoreCorrupt } from '../../protocol/errors/errors.ts'

/** The thread that messages and signatures name. */
export interface AuditedThread {
  /** The file or database. */
  readonly store: string
  readonly tenant: string
  readonly threadId: string
}

/** The end of a thread as stored in its row. */
export interface SignedEnd extends ChainEnd {
  readonly mac: HeadMac | null
}

/**
 * Checks the signature of a thread's end.
 *
 * A1  With a key, a thread that has entries must be signed with a known key, so that a chain that was cut off or recomputed is detected.
 * A2  Nothing is appended to a thread that fails this check, so tampered entries are never signed. Without a key nothing is appended to a signed thread.
 * A3  Without a key everything can be read: the chain is checked, the signature is not.
 */
export function checkSigned(
  keys: readonly AuditKey[],
  thread: AuditedThread,
  { mac, ...end }: SignedEnd,
  purpose: 'read' | 'append' | 'sign',
): void {
  if (keys.length === 0) {
    if (mac && purpose !== 'read') throw new AuditKeyMissing({ threadId: thread.threadId, keyId: mac.key })
    return
  }
  if (end.version === 0) return
  if (!mac) {
    if (purpose === 'sign') return
    throw corrupt(
      thread,
      'it is not signed with an audit key (if it was written before the store had one: holdpoint audit sign)',
    )
  }
  const key = keys.find(({ id }) => id === mac.key)
  if (!key) throw new AuditKeyMissing({ threadId: thread.threadId, keyId: mac.key })
  if (!sameSignature(mac, signEnd(key, thread, end))) {
    throw corrupt(thread, `its last entry, ${end.version}, is not the one that was signed`)
  }
}

/** The signature for the new end of a thread, under the newest key; `null` without one. */
export function signNew(keys: readonly AuditKey[], thread: AuditedThread, end: ChainEnd): HeadMac | null {
  const [newest] = keys
  return newest && end.version > 0 ? signEnd(newest, thread, end) : null
}

function corrupt({ store, tenant, threadId }: AuditedThread, problem: string): StoreCorrupt {
  return new StoreCorrupt({ store, tenantId: tenant, threadId }, problem)
}
