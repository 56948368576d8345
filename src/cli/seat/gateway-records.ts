import type { InboxClient } from '../../client.ts'
import { ThreadNotFound } from '../../protocol/errors/errors.ts'
import { found } from './found.ts'
import type { SeatRecords } from './records.ts'

/** The records of a gateway. */
export function gatewayRecords(client: InboxClient): SeatRecords {
  return {
    threads: (query) => client.threads(query),
    stuck: (limit) => client.threads({ stuck: true, limit }),
    async retry(threadId) {
      return (await found(client.retry(threadId), new ThreadNotFound(threadId))).retried
    },
    async move(threadId, { to, reason }) {
      return (await found(client.retry(threadId, { version: to, reason }), new ThreadNotFound(threadId))).retried
    },
    async abort(threadId, reason) {
      return (await found(client.abort(threadId, { reason }), new ThreadNotFound(threadId))).aborted
    },
    async *journal(threadId, after) {
      for (let from: number | undefined = after; from !== undefined; ) {
        const page: Awaited<ReturnType<InboxClient['journal']>> = await found(
          client.journal(threadId, { after: from, limit: 1000 }),
          new ThreadNotFound(threadId),
        )
        yield* page.entries
        from = page.next
      }
    },
    async lastEntries(threadId, last) {
      return (await found(client.journal(threadId, { last }), new ThreadNotFound(threadId))).entries
    },
    exported: (query) => client.audit(query),
    figures: (days) => client.figures({ days }),
  }
}
