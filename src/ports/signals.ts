/** The signal of runs that cannot be stopped. Nothing ever listens to it. */
export const NEVER: AbortSignal = new AbortController().signal

/**
 * Resolves like `work`, or rejects with the signal's reason as soon as it fires. The work is not stopped, and its later
 * failure is ignored.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal === NEVER) return work
  if (signal.aborted) {
    work.catch(() => undefined)
    throw signal.reason
  }
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
    work.catch(() => undefined)
  }
}

/** Calls `act` when a signal fires, or at once if it already has. Returns a function that removes the listener. */
export function whenAborted(signal: AbortSignal, act: () => void): () => void {
  // All runs that cannot be stopped share this signal, and Node warns about more than ten listeners.
  if (signal === NEVER) return () => undefined
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}
