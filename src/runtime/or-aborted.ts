import { HitlAborted } from '../protocol/errors.ts'

/** Waits unless one of the signals fires: then the wait ends with `HitlAborted`, and what was waited for stays as it is. */
export async function orAborted<T>(waiting: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  const any = AbortSignal.any([...signals])
  if (any.aborted) {
    // Its end concerns nobody any more; unhandled, it would end the process.
    waiting.catch(() => undefined)
    throw new HitlAborted(String(any.reason))
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new HitlAborted(String(any.reason)))
    any.addEventListener('abort', onAbort, { once: true })
    waiting.then(resolve, reject).finally(() => any.removeEventListener('abort', onAbort))
  })
}
