import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { SYSTEM_TENANT } from '../../ports/records.ts'
import type { Store } from '../../ports/store.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
/** Positions have up to 40 characters, cursors of lists up to 60. All are padded to this length, so that an id does not reveal it. */
const PADDED = 60
const KEY = { kind: 'key', id: 'events' }

/** Turns positions into opaque ids and back: those of the outbox into ids of events, those of lists into cursors. An id reveals nothing and is good for one scope, such as a tenant. All gateways of a store have one key. */
export class EventIds {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  /** The id of a position. */
  seal(scope: string, position: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, iv)
    cipher.setAAD(Buffer.from(scope))
    const sealed = Buffer.concat([iv, cipher.update(position.padEnd(PADDED)), cipher.final(), cipher.getAuthTag()])
    return sealed.toString('base64url')
  }

  /** The position of an id; `undefined` if it was not made here for this scope. */
  open(scope: string, id: string): string | undefined {
    const sealed = Buffer.from(id, 'base64url')
    if (sealed.length < IV_BYTES + TAG_BYTES) return undefined
    const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(scope))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    try {
      const position = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
      return position.toString().trimEnd()
    } catch {
      // The tag does not match: another key, another tenant, or a changed id.
      return undefined
    }
  }
}

/** Reads the key of a store, or makes it. Of several gateways that make one at once, the first counts. */
export async function loadEventIds(store: Store): Promise<EventIds> {
  const records = store.tenant(SYSTEM_TENANT)
  const known = await records.readRecord(KEY.kind, KEY.id)
  if (known) return new EventIds(Buffer.from(known.value, 'base64'))
  const key = randomBytes(32)
  const written = await records.writeRecords([{ op: 'put', ...KEY, value: key.toString('base64'), expect: 0 }])
  return written.ok ? new EventIds(key) : loadEventIds(store)
}
