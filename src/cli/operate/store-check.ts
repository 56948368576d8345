import { type BackendState, backendCheck, pingStore } from '../../gateway/backend-check.ts'
import { repeatedErrors } from '../../gateway/log.ts'
import type { Logger } from '../../gateway.ts'
import type { Store } from '../../index.ts'

/** Makes a check whether a store answers, and whether its tables fit this build. The same failure is logged once a minute. */
export function storeCheck(store: Store, logger: Logger): () => Promise<BackendState> {
  const tell = repeatedErrors(logger)
  return backendCheck(
    () => pingStore(store),
    (error) => tell(error, 'the store does not answer'),
  )
}
