/** Work on one thread is done one after the other, in the order in which it was given; work on different threads side by side. */
export interface Lanes {
  push<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** No work yet. */
export function createLanes(): Lanes {
  const ends = new Map<string, Promise<unknown>>()
  return {
    push(key, work) {
      const before = ends.get(key)
      const done = before === undefined ? work() : before.then(work, work)
      ends.set(key, done)
      const leave = () => {
        if (ends.get(key) === done) ends.delete(key)
      }
      done.then(leave, leave)
      return done
    },
  }
}
