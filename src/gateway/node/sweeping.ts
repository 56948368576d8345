import { createSweeper } from '../../desk/expiry/sweeper.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { repeatedErrors } from '../log.ts'

/** Periodically records expired deadlines, for all tenants of the gateway's store. Returns how to stop, which waits for a sweep that is under way. */
export function startSweeping({ store, logger }: GatewayParts, everyMs: number): () => Promise<void> {
  if (!store) return () => Promise.resolve()
  const tell = repeatedErrors(logger)
  const onError = (error: unknown): void => tell(error, 'expired deadlines could not be recorded')
  const sweeper = createSweeper(store, { everyMs, onError })
  return () => sweeper.stop()
}
