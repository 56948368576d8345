import { hash } from 'node:crypto'

/** The fields of an entry that the store adds. */
export interface ChainHeader {
  tenant: string
  threadId: string
  seq: number
  at: number
}

/**
 * `hash = SHA-256(header, previous hash, SHA-256(salt ‖ body))`. The body enters only by its salted hash, so it can be
 * sealed or erased later and the chain still verifies.
 */
export function chainHash(header: ChainHeader, previous: Uint8Array, bodyHash: string): Uint8Array {
  return chainOf(header.tenant, header.threadId)(header, previous, bodyHash)
}

/** {@link chainHash} for the entries of one thread. The shared part of their headers is written once. */
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

/** The salted hash by which a body enters the chain, as one character per byte. */
export function bodyHash(salt: Uint8Array, body: string): string {
  const salted = Buffer.allocUnsafe(salt.length + Buffer.byteLength(body))
  salted.set(salt)
  salted.write(body, salt.length)
  return sha256(salted)
}

/**
 * One call, since a hash object costs more than the hashing. A string, since a byte result allocates outside the heap.
 */
function sha256(data: Uint8Array): string {
  return hash('sha256', data, 'binary')
}

/** A hash in hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** The hash before a thread's first entry. */
export const CHAIN_START: Uint8Array = new Uint8Array(32)
