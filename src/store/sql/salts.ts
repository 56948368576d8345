import { randomFillSync } from 'node:crypto'

const SALT_BYTES = 16

/** A supply of random salts. */
export interface Salts {
  next(): Uint8Array
}

/** Generates many salts at once: a system call for each would cost as much as hashing. */
export function createSalts(): Salts {
  let pool = new Uint8Array(0)
  let used = 0
  return {
    next() {
      if (used === pool.length) {
        pool = randomFillSync(new Uint8Array(SALT_BYTES * 256))
        used = 0
      }
      used += SALT_BYTES
      return pool.subarray(used - SALT_BYTES, used)
    },
  }
}
