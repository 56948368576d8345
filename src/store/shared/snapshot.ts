import type { SnapshotWrite } from '../../ports/snapshot.ts'
import type { Append } from '../../ports/store.ts'
import {
  type AuditKey,
  type HeadMac,
  type SignedSnapshot,
  sameSignature,
  signState,
} from '../../protocol/chain/audit-key.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'

/** Throws `InputInvalid` for a snapshot whose append does not say which state it is of, or that cannot be stored. */
export function checkSnapshot({ version = 0, erase }: Append, { fold, body, chunks }: SnapshotWrite): void {
  if (version < 1 || erase)
    throw new InputInvalid('an append with a snapshot needs a version above 0, and cannot erase')
  if (!Number.isSafeInteger(fold) || typeof body !== 'string')
    throw new InputInvalid('a snapshot needs the number of its fold and a body')
  const { first, bodies } = chunks ?? { first: 1, bodies: [] }
  if (!Number.isSafeInteger(first) || first < 1 || !bodies.every((chunk) => typeof chunk === 'string'))
    throw new InputInvalid('chunks are strings, and numbered from 1 on')
}

interface Thread {
  readonly tenant: string
  readonly threadId: string
}

/** Signs a snapshot with the newest key; `null` without one. */
export function signSnapshot(keys: readonly AuditKey[], thread: Thread, snapshot: SignedSnapshot): HeadMac | null {
  const [newest] = keys
  return newest ? signState(newest, thread, snapshot) : null
}

/** Whether a stored snapshot may be used. Without keys nothing is checked: then nothing protects the journal from whoever writes the database either. */
export function isGenuine(
  keys: readonly AuditKey[],
  thread: Thread,
  { mac, ...snapshot }: SignedSnapshot & { mac: HeadMac | null },
): boolean {
  if (keys.length === 0) return true
  const key = keys.find(({ id }) => id === mac?.key)
  return key !== undefined && mac !== null && sameSignature(mac, signState(key, thread, snapshot))
}
