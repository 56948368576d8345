import { type HitlRequest, openDesk, type Store } from '../../index.ts'
import { versionOf } from './thread.ts'

/**
 * Waits until a request is no longer the one that was shown: decided or closed, by whomever, or open again in another version. Gives it as
 * it is then, or `undefined` when the signal fired first.
 */
export async function untilChanged(
  store: Store,
  shown: HitlRequest,
  signal: AbortSignal,
): Promise<HitlRequest | undefined> {
  const desk = openDesk({ store })
  while (!signal.aborted) {
    // The version first: what is written after it ends the wait below at once.
    const after = await versionOf(store, shown.threadId)
    const now = await desk.get(shown.id)
    if (now.status !== 'open' || now.version !== shown.version) return now
    await store.changed(shown.threadId, { after, signal })
  }
  return undefined
}
