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
export function chainHash(header: ChainHeader, previous: Uint8Array, bodyHash: string): Uint8Array {
  return chainOf(header.tenant, header.threadId)(header, previous, bodyHash)
}

/** {@link chainHash} for the entries of one thread: what their headers share is written once. */
export function chainOf(
  tenant: string,
  threadId: string,
): (entry: { seq: number; at: number }, previous: Uint8Array, bodyHash: string) => Uint8Array {
  const name = JSON.stringify([tenant, threadId]).slice(0, -1)
  return ({ seq, at }, previous, bodyHash) => {
    const head = `${name},${seq},${at}]`
    const length = Buffer.byteLength(head)
    const link = Buffer.allocUnsafe(length + previous.length + bodyHash.length)
    link.write(head)
    link.set(previous, length)
    link.write(bodyHash, length + previous.length, 'latin1')
    return Buffer.from(sha256(link), 'latin1')
  }
}

/** The salted hash by which a body enters the chain: a character for each byte. */
export function bodyHash(salt: Uint8Array, body: string): string {
  const salted = Buffer.allocUnsafe(salt.length + Buffer.byteLength(body))
  salted.set(salt)
  salted.write(body, salt.length)
  return sha256(salted)
}

/** In one call, since an object for each hash costs more than the hashing; and as a text, since asking for bytes allocates outside the heap. */
function sha256(data: Uint8Array): string {
  return hash('sha256', data, 'binary')
}

/** A hash as a string. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** What a thread's first entry follows. */
export const CHAIN_START: Uint8Array = new Uint8Array(32)
