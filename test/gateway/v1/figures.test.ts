import { expect, it } from 'vitest'
import type { RequestFacts } from '../../../src/core/views/request-view.ts'
import { figuresOf } from '../../../src/gateway/v1/views/figures.ts'
import { memoryStore } from '../../../src/index.ts'
import type { Figures } from '../../../src/protocol/api/records.ts'
import { ask, inboxOf, seen } from '../../support/gateway/inbox-scene.ts'

const NOW = Date.parse('2026-03-12T10:24:00Z')
const MINUTE = 60_000

function facts(options: Partial<RequestFacts> & { tool?: string; openedAgo: number }): RequestFacts {
  const { tool = 'refund', openedAgo, ...rest } = options
  const opened = { v: 1, type: 'request.opened', id: 'r', questionId: 'q', kind: 'approve', agent: 'a' } as const
  return {
    tenant: 'default',
    threadId: 't',
    status: 'open',
    version: 1,
    opened: { ...opened, path: ['a'], toolName: tool, allowedDecisions: ['approve'] },
    openedAt: NOW - openedAgo,
    ...rest,
  }
}

function decided(
  id: string,
  openedAgo: number,
  { type = 'approve', after = MINUTE, kind = 'person' } = {},
): RequestFacts {
  const changed = { v: 1, type: 'request.decided', id: 'r', version: 2, decision: { type }, by: { kind, id } } as never
  return facts({ openedAgo, status: 'decided', changed, changedAt: NOW - openedAgo + after })
}

it('times are of people alone, percentiles by nearest rank, and every hour has its row', () => {
  const requests = [
    ...[1, 2, 3, 4].map((n) => decided('ann', 60 * MINUTE, { after: n * MINUTE })),
    decided('bob', 2 * 60 * MINUTE, { type: 'reject', after: 10 * MINUTE }),
    decided('standing', 60 * MINUTE, { after: 1, kind: 'grant' }),
  ]
  const open = [facts({ openedAgo: 5 * MINUTE }), facts({ openedAgo: 30 * MINUTE, tool: 'deploy' })]
  const found = figuresOf({ days: 1, now: NOW, requests: [...requests, ...open], open, more: false })
  expect(found.timeToDecide).toEqual({ p50: 180, p95: 600 })
  expect(found.queueAge).toEqual({ open: 2, p50: 300, oldest: 1800 })
  expect(found.byTool).toEqual([
    { tool: 'refund', approved: 5, edited: 0, rejected: 1, responded: 0, expired: 0, p50: 180 },
  ])
  expect(found.byReviewer).toEqual([
    { id: 'ann', decided: 4, p50: 120 },
    { id: 'bob', decided: 1, p50: 600 },
  ])
  expect(found.byHour).toHaveLength(24)
  expect(found.byHour.at(-1)).toEqual({ at: '2026-03-12T10:00:00.000Z', opened: 1, decided: 0, expired: 0 })
  expect(found.byHour.reduce((sum, hour) => sum + hour.opened, 0)).toBe(8)
  expect(found.byHour.reduce((sum, hour) => sum + hour.decided, 0)).toBe(6)
})

it('nothing decided makes no figures up', () => {
  const found = figuresOf({ days: 2, now: NOW, requests: [], open: [], more: false })
  expect(found.timeToDecide).toEqual({ p50: null, p95: null })
  expect(found.queueAge).toEqual({ open: 0, p50: null, oldest: null })
  expect(found.byHour).toHaveLength(48)
})

it('are of what the caller may see, and kept for ten seconds for each reader set', async () => {
  const store = memoryStore()
  const [one] = await ask(store, 'a', {}, { lists: [['bob']] })
  const { as } = inboxOf(store)
  const ann = as({ sub: 'ann', roles: ['reviewer'] })
  const { request } = await ann.show(one!)
  await ann.post(`/v1/requests/${one}/decide`, { ...seen(request), decision: { type: 'approve' } })
  const figures = async (caller: typeof ann) => (await caller.get<Figures>('/v1/figures?days=3')).body
  expect(await figures(ann)).toMatchObject({
    days: 3,
    counted: 1,
    more: false,
    byReviewer: [{ id: 'ann', decided: 1 }],
  })
  expect(await figures(as({ sub: 'bob' }))).toMatchObject({ counted: 1, byReviewer: [], queueAge: { open: 1 } })
  expect(await figures(as({ sub: 'olga', roles: ['operator'] }))).toMatchObject({ counted: 2 })
  await ask(store, 'b', {})
  expect((await figures(ann)).counted).toBe(1)
  expect(
    (
      await inboxOf(store)
        .as({ sub: 'ann', roles: ['reviewer'] })
        .get<Figures>('/v1/figures?days=3')
    ).body.counted,
  ).toBe(2)
})
