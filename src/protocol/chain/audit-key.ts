import { createHmac, timingSafeEqual } from 'node:crypto'
import { InputInvalid } from '../errors/errors.ts'
import type { ChainEnd } from './find-break.ts'

/** A key that the ends of threads are signed with. The first of a list signs, all of them verify. */
export interface AuditKey {
  id: string
  secret: string
}

/** What `auditKey` takes: a secret (its id is then `default`), a key, or several, the newest first. */
export type AuditKeyOption = string | AuditKey | readonly AuditKey[]

/** The signature of the end of a thread, and the key that it was made with. */
export interface HeadMac {
  readonly key: string
  readonly mac: Uint8Array
}

/** Keys as they were given, checked: one that was left empty by mistake must not turn signatures off. */
export function toAuditKeys(option: AuditKeyOption | undefined): readonly AuditKey[] {
  if (option === undefined) return []
  const keys: readonly AuditKey[] =
    typeof option === 'string' ? [{ id: 'default', secret: option }] : Array.isArray(option) ? option : [option]
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  const ids = new Set(keys.map((key) => key?.id))
  if (keys.length === 0 || ids.size < keys.length || !keys.every((key) => isText(key?.id) && isText(key?.secret))) {
    throw new InputInvalid(
      'auditKey must be a secret, a key with an id and a secret, or a list of keys with different ids; leave it out to not sign.',
    )
  }
  return keys
}

/** Signs the end of a thread: HMAC-SHA-256 of the thread, its version and the hash of its last entry. */
export function signEnd(
  { id, secret }: AuditKey,
  thread: { tenant: string; threadId: string },
  end: ChainEnd,
): HeadMac {
  const hash = Buffer.from(end.hash).toString('hex')
  const text = JSON.stringify(['holdpoint.head', 1, id, thread.tenant, thread.threadId, end.version, hash])
  return { key: id, mac: createHmac('sha256', secret).update(text).digest() }
}

/** Whether a signature was made with a key, of this end. */
export function isSignature(
  { mac }: HeadMac,
  key: AuditKey,
  thread: { tenant: string; threadId: string },
  end: ChainEnd,
): boolean {
  const expected = signEnd(key, thread, end).mac
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}
