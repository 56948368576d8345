import { hash } from 'node:crypto'

/** The part of an entry that the store adds. */
export interface ChainHeader {
  tenant: string
  threadId: string
  seq: number
  at: number
}

/**
 * `hash = SHA-256(header, previous hash, SHA-256(salt ‖ body))`. Since the body enters by its salted hash alone, a body can be
 * sealed or erased later and the chain still verifies.
 */
export function chainHash(header: ChainHeader, previous: Uint8Array, bodyHash: Uint8Array): Uint8Array {
  const head = JSON.stringify([header.tenant, header.threadId, header.seq, header.at])
  const length = Buffer.byteLength(head)
  const link = Buffer.allocUnsafe(length + previous.length + bodyHash.length)
  link.write(head)
  link.set(previous, length)
  link.set(bodyHash, length + previous.length)
  return sha256Bytes(link)
}

/** The salted hash by which a body enters the chain. */
export function bodyHash(salt: Uint8Array, body: string): Uint8Array {
  const salted = Buffer.allocUnsafe(salt.length + Buffer.byteLength(body))
  salted.set(salt)
  salted.write(body, salt.length)
  return sha256Bytes(salted)
}

/** In one call, since an object for each hash costs more than the hashing; and by way of a text, since asking for bytes allocates outside the heap. */
function sha256Bytes(data: Uint8Array): Uint8Array {
  return Buffer.from(hash('sha256', data, 'binary'), 'latin1')
}

/** What a thread's first entry follows. */
export const CHAIN_START: Uint8Array = new Uint8Array(32)
