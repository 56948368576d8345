import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, run, tool } from '../../../src/index.ts'
import type { BulkResult } from '../../../src/protocol/api/requests.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { ask, inboxOf, seen } from '../../support/gateway/inbox-scene.ts'

const ann = { sub: 'ann', roles: ['reviewer'] }

it('each of many requests gets its own outcome: high risk, questions and what is for others are left out', async () => {
  const store = memoryStore()
  const [plain, other] = await ask(store, 'a', {}, {})
  const [high] = await ask(store, 'b', { risk: 'high' })
  const [hidden] = await ask(store, 'c', { lists: [['bob']] })
  const sure = tool({
    name: 'sure',
    description: 'Asks.',
    parameters: z.object({}),
    resumable: true,
    execute: async (_args, ctx) => String(await ctx!.confirm('Really?')),
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'sure', args: {} }] }, 'Done.'])
  await run(new Agent({ name: 'clerk', model, tools: [sure] }), 'go', { store, threadId: 'd' })
  const { as } = inboxOf(store)
  const caller = as(ann)
  const [question] = (await caller.list('?kind=confirm')).requests
  const shown = new Map((await as({ sub: 'ada', roles: ['admin'] }).list()).requests.map((item) => [item.id, item]))
  const itemOf = (id: string) => ({ id, version: shown.get(id)!.version, digest: shown.get(id)!.digest ?? 'none' })
  const ids = [plain!, high!, hidden!, question!.id, other!]
  const items = [...ids.map(itemOf), { ...itemOf(plain!), id: 'absent' }]
  items[4]!.digest = 'another'
  const { status, body } = await caller.post<BulkResult>('/v1/requests/decide', {
    items,
    decision: { type: 'approve' },
    comment: 'all fine',
  })
  expect(status).toBe(200)
  expect(body.outcomes.map((one) => [one.id, one.ok ? one.request.status : one.code])).toEqual([
    [plain, 'decided'],
    [high, 'not_in_bulk'],
    [hidden, 'not_found'],
    [question!.id, 'not_in_bulk'],
    [other, 'request_changed'],
    ['absent', 'not_found'],
  ])
  expect((await caller.show(plain!)).request.decided).toMatchObject({ comment: 'all fine', by: { id: 'ann' } })
})

it('each item may name what was shown: it is recorded, and a wrong one refuses that item alone', async () => {
  const store = memoryStore()
  const ids = await ask(store, 'a', {}, {}, {})
  const caller = inboxOf(store).as(ann)
  const [right, wrong, silent] = await Promise.all(ids.map(async (id) => (await caller.show(id)).request))
  const items = [
    { id: right!.id, ...seen(right!), shown: right!.shown },
    { id: wrong!.id, ...seen(wrong!), shown: '0'.repeat(64) },
    { id: silent!.id, ...seen(silent!) },
  ]
  const decision = { type: 'approve' }
  const { body } = await caller.post<BulkResult>('/v1/requests/decide', { items, decision })
  expect(body.outcomes.map((one) => (one.ok ? one.request.status : one.code))).toEqual([
    'decided',
    'request_changed',
    'decided',
  ])
  const entries = (await store.readChain('a')).map(({ body }) => JSON.parse(body))
  const recorded = entries.filter(({ type }) => type === 'request.decided').map(({ id, shown }) => [id, shown])
  expect(right!.shown).toMatch(/^[0-9a-f]{64}$/)
  expect(recorded).toHaveLength(2)
  expect(recorded).toEqual(
    expect.arrayContaining([
      [right!.id, right!.shown],
      [silent!.id, undefined],
    ]),
  )
})

it('a list of none, or of more than a hundred, or with an edit is refused', async () => {
  const caller = inboxOf(memoryStore()).as(ann)
  const item = { id: 'x', version: 1, digest: 'd' }
  const post = (items: object[], decision: object) => caller.post('/v1/requests/decide', { items, decision })
  expect((await post([], { type: 'approve' })).status).toBe(400)
  expect((await post(Array(101).fill(item), { type: 'approve' })).status).toBe(400)
  expect((await post([item], { type: 'edit', args: {} })).status).toBe(400)
  expect((await post([item], { type: 'approve' })).status).toBe(200)
})

it('decisions in bulk count against the rate limit one by one', async () => {
  const store = memoryStore()
  await ask(store, 'a', {}, {}, {}, {}, {})
  const caller = inboxOf(store, { writeLimit: { burst: 4, perSecond: 1 } }).as(ann)
  const items = (await caller.list()).requests.map((item) => ({ id: item.id, ...seen(item) }))
  const { body } = await caller.post<BulkResult>('/v1/requests/decide', { items, decision: { type: 'reject' } })
  expect(body.outcomes.filter(({ ok }) => ok)).toHaveLength(3)
  expect(body.outcomes.flatMap((one) => (one.ok ? [] : [one.code]))).toEqual(['too_many', 'too_many'])
})
