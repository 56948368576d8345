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
