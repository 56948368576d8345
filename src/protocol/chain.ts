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
  const head = Buffer.from(JSON.stringify([header.tenant, header.threadId, header.seq, header.at]))
  return sha256Bytes(Buffer.concat([head, previous, bodyHash]))
}

/** The salted hash by which a body enters the chain. */
export function bodyHash(salt: Uint8Array, body: string): Uint8Array {
  return sha256Bytes(Buffer.concat([salt, Buffer.from(body)]))
}

/** In one call: an object for each hash costs more than the hashing. */
function sha256Bytes(data: Uint8Array): Uint8Array {
  return hash('sha256', data, 'buffer')
}

/** What a thread's first entry follows. */
export const CHAIN_START: Uint8Array = new Uint8Array(32)
