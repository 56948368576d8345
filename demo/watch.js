import { openDesk } from 'holdpoint'
import { versionOf } from './threads.js'

/**
 * Waits until a request is no longer as it was shown: decided or closed, by anybody, or open at another version. Resolves to the request as it
 * is then, or to `undefined` if the signal fires first.
 * @param {import('holdpoint').Store} store
 * @param {import('holdpoint').HitlRequest} shown
 * @param {AbortSignal} signal
 */
export async function untilChanged(store, shown, signal) {
  const desk = openDesk({ store })
  while (!signal.aborted) {
    // The version is read first, so a write after that ends the wait below at once.
    const after = await versionOf(store, shown.threadId)
    const now = await desk.get(shown.id)
    if (now.status !== 'open' || now.version !== shown.version) return now
    await store.changed(shown.threadId, { after, signal })
  }
  return undefined
}
