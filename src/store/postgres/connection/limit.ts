/** Lets so many do something at the same time; the others wait for their turn, in order. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

/** Nobody is at it yet. */
export function createLimit(most: number): Limit {
  const queue: (() => void)[] = []
  let free = most
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      // The place is handed on, so that nobody slips in between.
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}
