import { TryAgain } from './client-error.ts'

/** A bearer token, or a function that gets one. */
export type TokenSource = string | (() => string | Promise<string>)

/** The token. A failure to get one is worth a retry. */
export async function tokenOf(source: TokenSource, signal: AbortSignal): Promise<string> {
  if (typeof source !== 'function') return source
  let stop: (() => void) | undefined
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([source(), stopped])
  } catch (cause) {
    throw new TryAgain(`The token function failed: ${String(cause)}`, { cause })
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}
