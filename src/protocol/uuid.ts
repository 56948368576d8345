import { randomBytes } from 'node:crypto'
/** Where new ids come from. */
export type IdSource = () => string

/**
 * A source of UUIDv7: sorted by time of creation, also within a millisecond. The clock may jump; ids of one source never go back.
 */
export function uuidSource(now: () => number = Date.now): IdSource {
  let last = 0
  let counter = 0
  let pool = Buffer.alloc(0)
  let used = 0
  return () => {
    if (used + 10 > pool.length) {
      pool = randomBytes(1000)
      used = 0
    }
    const time = now()
    if (time > last) {
      last = time
      counter = pool.readUInt16BE(used) & 0x7ff
    } else if (++counter > 0xfff) {
      last += 1
      counter = 0
    }
    const tail = pool.toString('hex', used + 2, used + 10)
    used += 10
    const head = last.toString(16).padStart(12, '0')
    const variant = ((Number.parseInt(tail.charAt(0), 16) & 0x3) | 0x8).toString(16)
    return `${head.slice(0, 8)}-${head.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  }
}
