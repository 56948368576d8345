/** Limits concurrency: further work waits for its turn, in order. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

/** A limit with nothing under way. */
export function createLimit(most: number): Limit {
  const queue: (() => void)[] = []
  let free = most
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      // The slot is passed on directly, so that later work cannot overtake.
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}
