import { randomFillSync } from 'node:crypto'

const SALT_BYTES = 16

/** A supply of random salts. */
export interface Salts {
  next(): Uint8Array
}

/** Draws many salts at once: asking the system for each would cost as much as hashing. */
export function createSalts(): Salts {
  const pool = new Uint8Array(SALT_BYTES * 256)
  let used = pool.length
  return {
    next() {
      if (used === pool.length) {
        randomFillSync(pool)
        used = 0
      }
      used += SALT_BYTES
      return pool.slice(used - SALT_BYTES, used)
    },
  }
}
