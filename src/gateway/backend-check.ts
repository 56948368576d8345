import type { Store } from '../ports/store.ts'

const PING_MS = 2000
/** Anybody may ask whether a process is ready; its backends are asked no more often than this. */
const KEEP_MS = 500

/** Whether a backend answers. */
export type BackendState = 'ok' | 'failed'

/** Makes a check whether a backend answers in time. `ping` throws if it does not. */
export function backendCheck(
  ping: () => Promise<void>,
  onFailure: (error: unknown) => void,
): () => Promise<BackendState> {
  let last: { at: number; state: Promise<BackendState> } | undefined
  return () => {
    if (!last || performance.now() - last.at > KEEP_MS) last = { at: performance.now(), state: check(ping, onFailure) }
    return last.state
  }
}

async function check(ping: () => Promise<void>, onFailure: (error: unknown) => void): Promise<BackendState> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`no answer within ${PING_MS} ms`))
    // In a busy process the answer may have arrived but not been read yet.
    timer = setTimeout(() => setImmediate(fail), PING_MS)
  })
  try {
    await Promise.race([ping(), late])
    return 'ok'
  } catch (error) {
    onFailure(error)
    return 'failed'
  } finally {
    clearTimeout(timer)
  }
}

/** Stores have no ping: a read that finds nothing will do. */
export async function pingStore(store: Store): Promise<void> {
  await store.getRequest('00000000-0000-0000-0000-000000000000')
}
