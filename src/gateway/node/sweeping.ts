import { createSweeper } from '../../desk/sweeper.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { errorFields } from '../log.ts'

/** The same error is logged at most this often. */
const TELL_AGAIN_MS = 60_000

/** Periodically records expired deadlines, for all tenants of the gateway's store. Returns how to stop, which waits for a sweep that is under way. */
export function startSweeping({ store, logger }: GatewayParts, everyMs: number): () => Promise<void> {
  if (!store) return () => Promise.resolve()
  let told = new Map<string, number>()
  const sweeper = createSweeper(store, {
    everyMs,
    onError(error) {
      const fields = errorFields(error)
      const now = performance.now()
      told = new Map([...told].filter(([, at]) => now - at < TELL_AGAIN_MS))
      if (told.has(fields.error.message)) return
      told.set(fields.error.message, now)
      logger?.error(fields, 'expired deadlines could not be recorded')
    },
  })
  return () => sweeper.stop()
}
