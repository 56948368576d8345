import { pingStore } from '../../gateway/backend-check.ts'
import { errorFields } from '../../gateway/log.ts'
import type { Logger } from '../../gateway.ts'
import type { Store } from '../../index.ts'
import { PeerMissing } from '../../protocol/errors/peer-missing.ts'
import { untilStopped } from './until-stopped.ts'

const START_SECONDS = 60
const AGAIN_MS = 500

/** What the wait for a store needs. */
export interface StoreWait {
  readonly logger: Logger
  /** How long the store may take to answer for the first time. */
  readonly startSeconds: number | undefined
  /** Ends the wait. */
  readonly signal: AbortSignal
}

/**
 * Resolves when the store has answered once, or the signal has fired. Throws what went wrong if it does not in time: its address may be wrong, and a
 * process that waits for ever would hide that. Later a store may be away for as long as it likes.
 */
export async function storeAnswers(
  store: Store,
  { logger, startSeconds = START_SECONDS, signal }: StoreWait,
): Promise<void> {
  const begun = performance.now()
  while (!signal.aborted) {
    try {
      return await Promise.race([pingStore(store), untilStopped(signal)])
    } catch (error) {
      // A package that is missing stays missing.
      if (error instanceof PeerMissing) throw error
      if (performance.now() - begun >= startSeconds * 1000) {
        logger.error(
          { startSeconds, ...errorFields(error) },
          'the store has not answered since the start: this process ends',
        )
        throw error
      }
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}
