/** Serialises work on one thread, in order. Work on different threads runs in parallel. */
export interface Lanes {
  push<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** Creates lanes without work. */
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
