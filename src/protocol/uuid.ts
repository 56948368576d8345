import { randomUUID } from 'node:crypto'
/** Generates new ids. */
export type IdSource = () => string

/**
 * A source of UUIDv7 ids, sorted by creation time even within a millisecond. Ids of one source never go back, even if
 * the clock does.
 */
export function uuidSource(now: () => number = Date.now): IdSource {
  let last = 0
  let counter = 0
  return () => {
    // Node caches random ids, so this is the cheapest secure randomness. The version is overwritten; the variant is
    // right.
    const random = randomUUID()
    const time = now()
    if (time > last) {
      last = time
      counter = Number.parseInt(random.slice(0, 3), 16) & 0x7ff
    } else if (++counter > 0xfff) {
      last += 1
      counter = 0
    }
    const head = last.toString(16).padStart(12, '0')
    return `${head.slice(0, 8)}-${head.slice(8)}-7${counter.toString(16).padStart(3, '0')}${random.slice(18)}`
  }
}
