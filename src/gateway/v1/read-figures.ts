import type { RequestFacts } from '../../core/views/request-view.ts'
import type { Store } from '../../ports/store.ts'
import type { RequestCountQuery, StoredRequest } from '../../ports/store-lists.ts'
import type { Figures } from '../../protocol/api/records.ts'
import { figuresOf } from './views/figures.ts'

const MOST = 5000
const PAGE = 500
const DAY_MS = 86_400_000

/** Whose figures. */
export interface FiguresReader {
  /** Only requests that one of these names may see. Left out: all of the tenant. */
  readonly readers?: readonly string[] | undefined
  /** The facts of a request, if the reader may see it. */
  see(stored: StoredRequest): RequestFacts | undefined
}

/** Figures of some days about the newest requests that a reader may see, up to 5,000. */
export async function readFigures(store: Store, days: number, reader: FiguresReader): Promise<Figures> {
  const now = Date.now()
  const opened = await collect(store, { openedAfter: now - days * DAY_MS }, reader)
  const open = await collect(store, { status: 'open' }, reader)
  return figuresOf({ days, now, requests: opened.found, open: open.found, more: opened.more || open.more })
}

async function collect(
  store: Store,
  query: RequestCountQuery,
  { readers, see }: FiguresReader,
): Promise<{ found: RequestFacts[]; more: boolean }> {
  const found: RequestFacts[] = []
  if (readers?.length === 0) return { found, more: false }
  const filter = { ...query, ...(readers ? { readers } : {}), limit: PAGE }
  for (let cursor: string | undefined; ; ) {
    const page = await store.findRequests({ ...filter, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.requests.flatMap((stored) => see(stored) ?? []))
    if (page.next === undefined) return { found, more: false }
    if (found.length >= MOST) return { found: found.slice(0, MOST), more: true }
    cursor = page.next
  }
}
