import { QueueFailed } from '../../protocol/errors/errors.ts'

/** How long to wait for an engine. */
export interface Deadline {
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/**
 * Waits for work of an engine: at most for the timeout, and until the signal fires. Drivers may wait for ever for a server that was never reached.
 * What the work does later is ignored.
 */
export async function withDeadline<T>(work: Promise<T>, what: string, { timeoutMs, signal }: Deadline): Promise<T> {
  let clear = (): void => undefined
  const ended = new Promise<never>((_, reject) => {
    const late = (): void => reject(new QueueFailed(what, new Error(`no answer within ${timeoutMs} ms`)))
    // In a busy process the answer may have arrived but not been processed yet.
    const timer = setTimeout(() => setImmediate(late), timeoutMs)
    const abort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    clear = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  })
  try {
    return await Promise.race([work, ended])
  } catch (error) {
    if (error instanceof QueueFailed || (signal?.aborted && error === signal.reason)) throw error
    throw new QueueFailed(what, error)
  } finally {
    clear()
    work.catch(() => undefined)
    ended.catch(() => undefined)
  }
}
