import { describe, expect, it } from 'vitest'
import { memoryStore, openDesk, type Store } from '../../../src/index.ts'
import type { Counts } from '../../../src/protocol/api/requests.ts'
import { type AskedCall, ask, diskStore, inboxOf } from '../../support/gateway/inbox-scene.ts'
import { untilLater } from '../../support/until.ts'

const ann = { sub: 'ann', roles: ['reviewer'] }

async function askInTurn(store: Store, threadId: string, ...asked: AskedCall[]): Promise<string[]> {
  const ids = await ask(store, threadId, ...asked)
  await untilLater()
  return ids
}

describe.each([
  ['memory', memoryStore],
  ['SQLite', diskStore],
])('requests in %s', (_, open) => {
  it('are listed newest first, with what a person needs to recognise them', async () => {
    const store = open()
    const [first] = await askInTurn(store, 'a', { args: { cents: 5 } })
    const [second] = await askInTurn(store, 'b', { tool: 'deploy', risk: 'high' })
    const { requests, next } = await inboxOf(store).as(ann).list()
    expect(requests.map(({ id }) => id)).toEqual([second, first])
    expect(next).toBeUndefined()
    expect(requests[1]).toMatchObject({
      threadId: 'a',
      tenant: 'default',
      status: 'open',
      toolName: 'refund',
      args: { cents: 5 },
      comments: 0,
      hidden: 0,
      mayDecide: true,
    })
  })

  it.each([
    ['?risk=high', ['b']],
    ['?tool=refund', ['c', 'a']],
    ['?agent=clerk', ['c', 'b', 'a']],
    ['?agent=nobody', []],
    ['?thread=b', ['b']],
    ['?kind=ask', []],
    ['?text=DEPLOY', ['b']],
    ['?tenant=default', ['c', 'b', 'a']],
    ['?tenant=other', []],
    ['?status=closed', []],
    ['?status=all&tool=deploy', ['b']],
    ['?after=2999-01-01T00:00:00Z', []],
    ['?before=2999-01-01T00:00:00Z', ['c', 'b', 'a']],
    ['?mine=true', ['c', 'b', 'a']],
    ['?assignee=zoe', []],
  ])('are filtered by %s', async (query, threads) => {
    const store = open()
    await askInTurn(store, 'a', {})
    await askInTurn(store, 'b', { tool: 'deploy', risk: 'high' })
    await askInTurn(store, 'c', {})
    const { requests } = await inboxOf(store).as(ann).list(query)
    expect(requests.map(({ threadId }) => threadId)).toEqual(threads)
  })

  it('are listed by their last change, the newest decision first, in pages', async () => {
    const store = open()
    const ids = [...(await ask(store, 'a', {}, {}, { lists: [['bob']] })), ...(await ask(store, 'b', {}))]
    const { as } = inboxOf(store)
    const desk = openDesk({ store })
    for (const request of [ids[3]!, ids[0]!, ids[1]!]) {
      await desk.decide({ request, decision: { type: 'approve' }, by: 'ann' })
      await untilLater()
    }
    await desk.decide({ request: ids[2]!, decision: { type: 'approve' }, by: 'bob' })
    const shown: string[] = []
    for (let cursor = ''; ; ) {
      const { requests, next } = await as(ann).list(`?status=closed&order=changed&limit=2${cursor}`)
      shown.push(...requests.map(({ id }) => id))
      if (next === undefined) break
      cursor = `&cursor=${next}`
      const mixed = await as(ann).get(`/v1/requests?status=closed${cursor}`)
      expect(mixed.status).toBe(400)
    }
    expect(shown).toEqual([ids[1], ids[0], ids[3]])
  })

  it.each(['?order=age', '?limit=0', '?limit=201', '?status=gone', '?unknown=1', '?mine=perhaps', '?before=yesterday'])(
    'refuse the filter %s',
    async (query) => {
      const { status, body } = await inboxOf(open()).as(ann).get(`/v1/requests${query}`)
      expect([status, body]).toEqual([400, { code: 'invalid', detail: expect.any(String) }])
    },
  )

  it('are counted after the filters, for each caller alike', async () => {
    const store = open()
    await ask(store, 'a', {}, { risk: 'high' }, { lists: [['bob']] })
    const { as } = inboxOf(store)
    const counts = async (sub: string, ...roles: string[]) => (await as({ sub, roles }).get<Counts>('/v1/counts')).body
    const of = (count: number) => ({ count, more: false })
    expect(await counts('ann', 'reviewer')).toEqual({ open: of(2), mine: of(2), high: of(1) })
    expect(await counts('bob')).toEqual({ open: of(1), mine: of(1), high: of(0) })
    expect(await counts('zoe')).toEqual({ open: of(0), mine: of(0), high: of(0) })
    // An operator sees the request that is for bob, and may not decide it.
    expect(await counts('olga', 'operator')).toEqual({ open: of(3), mine: of(2), high: of(1) })
    expect(await counts('aud', 'auditor')).toEqual({ open: of(3), mine: of(0), high: of(1) })
    // Each of several lists must be satisfied.
    await ask(store, 'b', { lists: [['bob', 'group:ops'], ['cas']] }, { lists: [['bob'], ['bob', 'cas']] })
    expect(await counts('bob')).toEqual({ open: of(3), mine: of(2), high: of(0) })
    expect((await as({ sub: 'bob', roles: [] }).list('?mine=true')).requests).toHaveLength(2)
    expect(await counts('cas')).toEqual({ open: of(2), mine: of(0), high: of(0) })
    const both = { sub: 'cas', roles: [], groups: ['ops'] }
    expect((await as(both).get<Counts>('/v1/counts')).body).toEqual({ open: of(2), mine: of(1), high: of(0) })
  })
})
