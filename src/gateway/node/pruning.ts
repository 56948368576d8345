import type { GatewayParts } from '../gateway-parts.ts'
import { repeatedErrors } from '../log.ts'

const HOUR_MS = 3_600_000
/** How long rows of the outbox are kept. */
const OUTBOX_MS = 7 * 24 * HOUR_MS

/** Deletes expired records and old rows of the outbox, now and every hour. Returns how to stop, which waits for what is under way. */
export function startPruning({ store, logger }: Pick<GatewayParts, 'store' | 'logger'>): () => Promise<void> {
  if (!store) return () => Promise.resolve()
  const tell = repeatedErrors(logger)
  const prune = (): Promise<void> =>
    store
      .prune({ outboxMs: OUTBOX_MS })
      .catch((error: unknown) => tell(error, 'expired records and old rows of the outbox could not be deleted'))
  let working = prune()
  const timer = setInterval(() => {
    working = working.then(prune)
  }, HOUR_MS).unref()
  return async () => {
    clearInterval(timer)
    await working
  }
}
