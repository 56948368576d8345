import { readersOf } from '../../core/access.ts'
import type { RequestFacts } from '../../core/request-view.ts'
import type { RequestCountQuery } from '../../ports/store-lists.ts'
import { type Figures, figures, figuresQuery } from '../../protocol/api/records.ts'
import { type ApiCall, apiRoute } from './api-route.ts'
import { ok } from './refusals.ts'
import { figuresOf } from './views/figures.ts'
import { asSeen } from './visible-request.ts'

const MOST = 5000
const PAGE = 500
const DAY_MS = 86_400_000
const KEPT_MS = 10_000
const MOST_KEPT = 200

type Kept = { at: number; figures: Promise<Figures> }

/** Figures of the last seconds, by gateway and reader set. */
const keptBy = new WeakMap<object, Map<string, Kept>>()

/** How deciding went, of what the caller may see. */
export const figuresRoute = apiRoute({
  method: 'GET',
  path: '/v1/figures',
  summary: 'How deciding went over some days, of what the caller may see',
  query: figuresQuery,
  answer: figures,
  async handle(call) {
    const { days } = call.query
    const { tenant } = call.caller
    const kept = keptBy.get(call.parts) ?? new Map<string, Kept>()
    keptBy.set(call.parts, kept)
    const key = JSON.stringify([tenant, days, readersOf(call.caller) ?? null])
    const known = kept.get(key)
    if (known && performance.now() - known.at < KEPT_MS) return ok(await known.figures)
    if (kept.size >= MOST_KEPT) kept.clear()
    const fresh = { at: performance.now(), figures: compute(call, days) }
    kept.set(key, fresh)
    fresh.figures.catch(() => kept.delete(key))
    return ok(await fresh.figures)
  },
})

async function compute(call: ApiCall, days: number): Promise<Figures> {
  const now = Date.now()
  const opened = await collect(call, { openedAfter: now - days * DAY_MS })
  const open = await collect(call, { status: 'open' })
  const more = opened.more || open.more
  return figuresOf({ days, now, requests: opened.found, open: open.found, more })
}

/** The newest requests that match and that the caller may see, up to 5,000. */
async function collect(call: ApiCall, query: RequestCountQuery): Promise<{ found: RequestFacts[]; more: boolean }> {
  const readers = readersOf(call.caller)
  const found: RequestFacts[] = []
  if (readers?.length === 0) return { found, more: false }
  for (let cursor: string | undefined; ; ) {
    const page = await call.store.findRequests({
      ...query,
      ...(readers ? { readers } : {}),
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    })
    found.push(...page.requests.flatMap((stored) => asSeen(call, stored)?.facts ?? []))
    if (page.next === undefined) return { found, more: false }
    if (found.length >= MOST) return { found: found.slice(0, MOST), more: true }
    cursor = page.next
  }
}
