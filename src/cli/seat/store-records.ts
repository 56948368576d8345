import { toFacts } from '../../desk/find.ts'
import { readFigures } from '../../gateway/v1/read-figures.ts'
import { auditLines, toAuditEntry } from '../../gateway/v1/threads/audit-lines.ts'
import { stuckPage } from '../../gateway/v1/threads/stuck.ts'
import { threadsOfTenant } from '../../gateway/v1/threads/tenant-threads.ts'
import type { Actor, Store } from '../../index.ts'
import { ThreadNotFound } from '../../protocol/errors/errors.ts'
import { parseAuditedId } from '../../protocol/ids.ts'
import { abortRun } from '../../worker/shared/abort-run.ts'
import { moveRun } from '../../worker/shared/move-run.ts'
import { redrive } from '../../worker/shared/redrive.ts'
import type { SeatRecords } from './records.ts'

/** How many entries of a journal are read at once. */
const PAGE = 1000

/** The records of a store. Whoever can open it sees all of its tenant. */
export function storeRecords(store: Store, by: () => Actor): SeatRecords {
  return {
    stuck: (limit) => stuckPage(store, limit),
    retry: (threadId) => redrive(store, threadId),
    move: (threadId, move) => moveRun(store, { threadId, ...move, by: by() }),
    abort: (threadId, reason) => abortRun(store, { threadId, reason, by: by() }),
    async threads(query) {
      const { threads, next } = await store.threadsOf(query)
      const shown = threads.map(({ threadId, open, lastAt }) => ({ id: threadId, open, lastAt: iso(lastAt) }))
      return { threads: shown, ...(next === undefined ? {} : { next }) }
    },
    async *journal(name, after) {
      const threadId = parseAuditedId(name)
      if ((await store.readHead(threadId)).version === 0) throw new ThreadNotFound(threadId)
      for (let from: number | undefined = after; from !== undefined; ) {
        const chain: Awaited<ReturnType<Store['readChain']>> = await store.readChain(threadId, {
          after: from,
          limit: PAGE,
        })
        yield* chain.map(toAuditEntry)
        from = chain.length < PAGE ? undefined : chain.at(-1)?.seq
      }
    },
    async lastEntries(name, count) {
      const threadId = parseAuditedId(name)
      const { version } = await store.readHead(threadId)
      if (version === 0) throw new ThreadNotFound(threadId)
      return (await store.readChain(threadId, { after: Math.max(0, version - count), limit: count })).map(toAuditEntry)
    },
    exported: ({ thread, ...times }) =>
      auditLines(store, thread === undefined ? threadsOfTenant(store) : [parseAuditedId(thread)], times),
    figures: (days) => readFigures(store, days, { see: (stored) => toFacts(stored, store.tenantId) }),
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
