/** The signal of runs that nobody can stop: nothing ever listens to it. */
export const NEVER: AbortSignal = new AbortController().signal

/** The work's outcome, or the signal's reason as soon as it fires. The work is left to end by itself; its failure then concerns nobody. */
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

/** Does something when a signal fires, also if it has already. Returns what ends the listening. */
export function whenAborted(signal: AbortSignal, act: () => void): () => void {
  // All runs that nobody can stop share this one: Node warns of more than ten listeners.
  if (signal === NEVER) return () => undefined
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}
