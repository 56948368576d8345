import { repeatedErrors } from '../../gateway/log.ts'
import type { Logger } from '../../gateway.ts'
import type { Store } from '../../index.ts'

const PING_MS = 2000
/** The store is asked no more often than this. */
const KEEP_MS = 500

/** Makes a check whether a store answers, and whether its tables fit this build. The same failure is logged once a minute. */
export function storeCheck(store: Store, logger: Logger): () => Promise<'ok' | 'failed'> {
  const tell = repeatedErrors(logger)
  let last: { at: number; outcome: Promise<'ok' | 'failed'> } | undefined
  return () => {
    if (!last || performance.now() - last.at > KEEP_MS)
      last = {
        at: performance.now(),
        outcome: inTime(store.getRequest('00000000-0000-0000-0000-000000000000')).then(
          () => 'ok' as const,
          (error: unknown) => {
            tell(error, 'the store does not answer')
            return 'failed' as const
          },
        ),
      }
    return last.outcome
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PING_MS} ms`)), PING_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
