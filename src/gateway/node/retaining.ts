import { runRetention } from '../../erasure/retention.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { errorFields, repeatedErrors } from '../log.ts'

/** Erases threads that are over and too old, now and every hour. Returns how to stop, which waits for the thread that is being erased. */
export function startRetaining({ store, logger, settings }: GatewayParts): () => Promise<void> {
  const { retentionMs: olderThanMs } = settings
  if (!store || olderThanMs === undefined) return () => Promise.resolve()
  const stopping = new AbortController()
  const tell = repeatedErrors(logger)
  const working = runRetention(store, {
    olderThanMs,
    signal: stopping.signal,
    clock: store.clock,
    isTurn: () => true,
    onSwept({ erased, problems }) {
      if (erased > 0) logger?.info({ erased }, 'threads were erased: they were over and too old')
      for (const { tenantId, threadId, error } of problems)
        logger?.warn({ tenantId, threadId, ...errorFields(error) }, 'a thread is too old and cannot be erased')
    },
    onError: (error) => tell(error, 'threads that are too old could not be erased'),
  })
  return () => {
    stopping.abort()
    return working
  }
}
