/**
 * The waiters of this process for new entries of a thread.
 *
 * W1  A waiter is settled once and then forgotten, whatever comes first: growth, its signal, or the end of the store.
 * W2  Nothing is left on a signal once its waiter is settled.
 */
export interface Waiters {
  /** Settles when the thread is woken at a version above `after`, or when the signal fires. */
  wait(key: string, options: { after: number; signal: AbortSignal }): Promise<void>
  /** Wakes the waiters of a thread that has reached this version. */
  wake(key: string, version: number): void
  /** The threads that have waiters. */
  keys(): string[]
  /** Whether there are no waiters. */
  readonly idle: boolean
  /** Rejects all waiters. */
  fail(error: Error): void
}

interface Waiter {
  after: number
  settle(error?: Error): void
}

/** Creates an empty set of waiters. */
export function createWaiters(): Waiters {
  const byKey = new Map<string, Set<Waiter>>()

  function forget(key: string, waiter: Waiter): void {
    const waiting = byKey.get(key)
    waiting?.delete(waiter)
    if (waiting?.size === 0) byKey.delete(key)
  }

  return {
    wait: (key, { after, signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return resolve()
        const onAbort = () => waiter.settle()
        const waiter: Waiter = {
          after,
          settle(error) {
            forget(key, waiter)
            signal.removeEventListener('abort', onAbort)
            if (error) reject(error)
            else resolve()
          },
        }
        signal.addEventListener('abort', onAbort)
        const waiting = byKey.get(key)
        if (waiting) waiting.add(waiter)
        else byKey.set(key, new Set([waiter]))
      }),
    wake(key, version) {
      const waiting = byKey.get(key)
      if (!waiting) return
      for (const waiter of [...waiting]) if (version > waiter.after) waiter.settle()
    },
    keys: () => [...byKey.keys()],
    get idle() {
      return byKey.size === 0
    },
    fail(error) {
      for (const waiting of [...byKey.values()]) for (const waiter of [...waiting]) waiter.settle(error)
    },
  }
}
