import { createHmac, hash as digest, timingSafeEqual } from 'node:crypto'
import { InputInvalid } from '../errors/errors.ts'
import type { ChainEnd } from './find-break.ts'

/** A key that signs the heads of threads. The first key of an array signs; all of them verify. */
export interface AuditKey {
  id: string
  secret: string
}

/** The `auditKey` option: a secret (with the id `default`), a key, or an array of keys, newest first. */
export type AuditKeyOption = string | AuditKey | readonly AuditKey[]

/** The signature of a thread's head, and the id of the key that made it. */
export interface HeadMac {
  readonly key: string
  readonly mac: Uint8Array
}

/** Checks the keys. An empty key, left by mistake, must not turn signatures off. */
export function toAuditKeys(option: AuditKeyOption | undefined): readonly AuditKey[] {
  if (option === undefined) return []
  const keys: readonly AuditKey[] =
    typeof option === 'string' ? [{ id: 'default', secret: option }] : Array.isArray(option) ? option : [option]
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  const ids = new Set(keys.map((key) => key?.id))
  if (keys.length === 0 || ids.size < keys.length || !keys.every((key) => isText(key?.id) && isText(key?.secret))) {
    throw new InputInvalid(
      'auditKey must be a secret, a key with an id and a secret, or an array of keys with different ids; leave it out to not sign.',
    )
  }
  return keys
}

/** Signs the head of a thread: HMAC-SHA-256 of the thread, its version and the hash of its last entry. */
export function signEnd(
  { id, secret }: AuditKey,
  thread: { tenant: string; threadId: string },
  end: ChainEnd,
): HeadMac {
  const hash = Buffer.from(end.hash).toString('hex')
  const text = JSON.stringify(['holdpoint.head', 1, id, thread.tenant, thread.threadId, end.version, hash])
  return { key: id, mac: createHmac('sha256', secret).update(text).digest() }
}

/** A folded state, and the end of the thread that it is the state of. */
export interface SignedSnapshot extends ChainEnd {
  readonly fold: number
  readonly body: string
}

/** Signs a snapshot of a thread: HMAC-SHA-256 of the thread, the end that it belongs to, the version of the fold and the hash of its body. */
export function signState(
  { id, secret }: AuditKey,
  { tenant, threadId }: { tenant: string; threadId: string },
  { fold, version, hash, body }: SignedSnapshot,
): HeadMac {
  const facts = [id, tenant, threadId, fold, version, Buffer.from(hash).toString('hex'), digest('sha256', body, 'hex')]
  const text = JSON.stringify(['holdpoint.snapshot', 1, ...facts])
  return { key: id, mac: createHmac('sha256', secret).update(text).digest() }
}

/** Whether two signatures are the same. The time that this takes does not tell where they differ. */
export function sameSignature({ mac }: HeadMac, { mac: expected }: HeadMac): boolean {
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}
