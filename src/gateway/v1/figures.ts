import { readersOf } from '../../core/access.ts'
import type { RequestFacts } from '../../core/request-view.ts'
import type { RequestCountQuery } from '../../ports/store-lists.ts'
import { type Figures, figures, figuresQuery } from '../../protocol/api/records.ts'
import { type ApiCall, apiRoute } from './api-route.ts'
import { ok } from './refusals.ts'
import { asSeen } from './requests/visible-request.ts'
import { figuresOf } from './views/figures.ts'

const MOST = 5000
const PAGE = 500
const DAY_MS = 86_400_000

/** Figures about the requests that the caller may see. */
export const figuresRoute = apiRoute({
  method: 'GET',
  path: '/v1/figures',
  summary: 'Figures of some days about the requests that the caller may see',
  query: figuresQuery,
  answer: figures,
  async handle(call) {
    const { days } = call.query
    // Callers with the same tenant and names see the same requests, so they share the figures.
    const key = JSON.stringify([call.caller.tenant, days, readersOf(call.caller) ?? null])
    return ok(await call.parts.figures.get(key, () => compute(call, days)))
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
