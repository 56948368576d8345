/** A class is one token, and so is an escape with the character that follows. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(,(\d*))?\}|./gs

/**
 * The size of a regular expression with its repeats written out: `(a?){1000}` takes a thousand times what `(a?)` takes, and repeats inside of
 * repeats multiply. The time to match grows with it.
 */
export function expandedSize(pattern: string): number {
  const groups: number[] = []
  let size = 0
  /** The size of what a repeat would repeat. */
  let last = 0
  for (const [token, least, range, most] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      groups.push(size)
      size = 0
      last = 1
    } else if (token === ')') {
      last = size + 1
      size = (groups.pop() ?? 0) + last
    } else if (least !== undefined) {
      const times = Math.max(1, most ? Number(most) : Number(least) + (range === undefined ? 0 : 1))
      size += last * (times - 1)
      last *= times
    } else {
      last = 1
      size += last
    }
  }
  return size
}
