import type { AuditLine, Figures } from '../../client.ts'
import type { RequestFacts } from '../../core/request-view.ts'
import { toFacts } from '../../desk/find.ts'
import { stuckPage } from '../../gateway/v1/threads/stuck.ts'
import { threadsOfTenant } from '../../gateway/v1/threads/tenant-threads.ts'
import { figuresOf } from '../../gateway/v1/views/figures.ts'
import type { Actor, Store } from '../../index.ts'
import type { RequestQuery } from '../../ports.ts'
import { toHex } from '../../protocol/chain/chain.ts'
import { ThreadNotFound } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import { moveRun } from '../../worker/shared/move-run.ts'
import { redrive } from '../../worker/shared/redrive.ts'
import type { ExportQuery, SeatRecords } from './records.ts'

const DAY_MS = 86_400_000
const PAGE = 500
/** Figures look at the newest requests, like those of a gateway. */
const MOST = 5000

/** The records of a store. Whoever can open it sees all of its tenant. */
export function storeRecords(store: Store, by: () => Actor): SeatRecords {
  return {
    stuck: (limit) => stuckPage(store, limit),
    retry: (threadId) => redrive(store, threadId),
    move: (threadId, move) => moveRun(store, { threadId, ...move, by: by() }),
    async threads(query) {
      const { threads, next } = await store.threadsOf(query)
      const shown = threads.map(({ threadId, open, lastAt }) => ({ id: threadId, open, lastAt: iso(lastAt) }))
      return { threads: shown, ...(next === undefined ? {} : { next }) }
    },
    async *journal(name, after) {
      const threadId = parseThreadId(name)
      const lines = await linesOf(store, threadId)
      if (lines.length === 0) throw new ThreadNotFound(threadId)
      for (const { thread: _thread, ...line } of lines) if (line.seq > after) yield line
    },
    exported: (query) => exported(store, query),
    figures: (days) => figures(store, days),
  }
}

async function linesOf(store: Store, thread: string): Promise<AuditLine[]> {
  const chain = await store.readChain(thread)
  return chain.map(({ seq, at, hash, body }) => ({
    thread,
    seq,
    at: iso(at),
    hash: toHex(hash),
    entry: JSON.parse(body),
  }))
}

async function* exported(store: Store, { thread, from, to }: ExportQuery): AsyncGenerator<AuditLine, void, void> {
  for await (const threadId of thread === undefined ? threadsOfTenant(store) : [parseThreadId(thread)]) {
    for (const line of await linesOf(store, threadId)) {
      const at = Date.parse(line.at)
      if ((from === undefined || at >= Date.parse(from)) && (to === undefined || at < Date.parse(to))) yield line
    }
  }
}

async function figures(store: Store, days: number): Promise<Figures> {
  const now = Date.now()
  const opened = await collect(store, { openedAfter: now - days * DAY_MS })
  const open = await collect(store, { status: 'open' })
  return figuresOf({ days, now, requests: opened.found, open: open.found, more: opened.more || open.more })
}

async function collect(store: Store, query: RequestQuery): Promise<{ found: RequestFacts[]; more: boolean }> {
  const found: RequestFacts[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.findRequests({ ...query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.requests.map((stored) => toFacts(stored, store.tenantId)))
    if (page.next === undefined) return { found, more: false }
    if (found.length >= MOST) return { found, more: true }
    cursor = page.next
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
