import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.ts'
import type { Counts, RequestItem } from '../../../src/protocol/api/requests.ts'
import { ask, diskStore, inboxOf, serverStore } from '../../support/gateway/inbox-scene.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { soak } from '../../support/soak.ts'
import { manyRequests } from '../../support/stores/many-requests.ts'

const server = usePostgres()
const rex = { sub: 'rex', roles: ['reviewer'], groups: ['sales'] }

type Caller = ReturnType<ReturnType<typeof inboxOf>['as']>

async function allPages(caller: Caller, query: string, limit: number): Promise<RequestItem[]> {
  const all: RequestItem[] = []
  for (let cursor = ''; ; ) {
    const { requests, next } = await caller.list(`?${query}&limit=${limit}${cursor}`)
    expect(requests.length).toBeLessThanOrEqual(limit)
    all.push(...requests)
    if (next === undefined) return all
    cursor = `&cursor=${next}`
  }
}

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => diskStore()],
  ['Postgres', () => serverStore(server.get().connectionString, freshSchema())],
])('pages in %s', (_, open) => {
  it('while requests arrive show every request that was there exactly once', async () => {
    const store = open()
    await manyRequests(store, 30)
    const caller = inboxOf(store).as(rex)
    const before = (await caller.list('?limit=200')).requests.map(({ id }) => id)
    const read: string[] = []
    for (let cursor = ''; ; ) {
      const { requests, next } = await caller.list(`?limit=7${cursor}`)
      read.push(...requests.map(({ id }) => id))
      await ask(store, `late-${read.length}`, {})
      if (next === undefined) break
      cursor = `&cursor=${next}`
    }
    expect(read).toEqual(before)
  })

  it('put together are the filtered list, whatever the page size', async () => {
    const store = open()
    await manyRequests(store, 60, (nth) => ({
      tool: nth % 3 === 0 ? 'deploy' : 'refund',
      ...(nth % 4 === 0 ? { lists: [['group:finance']] } : nth % 5 === 0 ? { lists: [['group:sales']] } : {}),
      ...(nth % 6 === 0 ? { risk: 'high' as const } : {}),
    }))
    const caller = inboxOf(store).as(rex)
    const { requests: all } = await caller.list('?limit=200')
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          limit: fc.integer({ min: 1, max: 70 }),
          tool: fc.option(fc.constantFrom('deploy', 'refund')),
          risk: fc.option(fc.constantFrom('high', 'low')),
          text: fc.option(fc.constantFrom('thread-1', 'DEPLOY clerk', 'nothing')),
        }),
        async ({ limit, tool, risk, text }) => {
          const query = new URLSearchParams({
            ...(tool ? { tool } : {}),
            ...(risk ? { risk } : {}),
            ...(text ? { text } : {}),
          })
          const found = await allPages(caller, String(query), limit)
          const words = (text ?? '').toLowerCase().split(' ')
          const expected = all.filter(
            (item) =>
              (!tool || item.toolName === tool) &&
              (!risk || item.risk === risk) &&
              words.every((word) => `${item.toolName} ${item.agent} ${item.threadId}`.toLowerCase().includes(word)),
          )
          expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
        },
      ),
      soak.runs(25, 300),
    )
  })

  it('are counted up to a thousand', async () => {
    const store = open()
    await manyRequests(store, 1001)
    const { body } = await inboxOf(store).as(rex).get<Counts>('/v1/counts')
    expect(body.open).toEqual({ count: 1000, more: true })
    expect(body.high).toEqual({ count: 0, more: false })
  })

  it('name no request in their cursor', async () => {
    const store = open()
    await manyRequests(store, 40, (nth) => (nth % 2 === 0 ? { lists: [['group:finance']] } : {}))
    const { as } = inboxOf(store)
    const ids = (await as({ ...rex, roles: ['operator'] }).list('?limit=200')).requests.map(({ id }) => id)
    expect(ids).toHaveLength(40)
    for (const list of ['requests', 'threads']) {
      let cursor = ''
      for (let pages = 0; ; pages++) {
        const { body } = await as(rex).get<{ next?: string }>(`/v1/${list}?limit=1${cursor}`)
        if (body.next === undefined) {
          expect(pages).toBeGreaterThan(1)
          break
        }
        const bytes = Buffer.from(body.next, 'base64url').toString('latin1')
        for (const id of ids) expect(`${body.next} ${bytes}`).not.toContain(id)
        cursor = `&cursor=${body.next}`
      }
    }
  })

  it('refuse a cursor that was not made for them', async () => {
    const store = open()
    await manyRequests(store, 10)
    await manyRequests(store.tenant('acme'), 10)
    const { as } = inboxOf(store)
    const { next } = await as(rex).list('?limit=3')
    const [{ id }] = (await as(rex).list('?limit=3')).requests as [RequestItem]
    expect((await as(rex).get(`/v1/requests?limit=3&cursor=${next}`)).status).toBe(200)
    for (const path of [
      `/v1/threads?cursor=${next}`,
      `/v1/grants?cursor=${next}`,
      `/v1/requests?cursor=${id}`,
      '/v1/requests?cursor=',
      `/v1/requests?cursor=${next}x`,
    ])
      expect([path, (await as(rex).get(path)).status]).toEqual([path, 400])
    const elsewhere = as({ ...rex, tenant: 'acme' })
    expect((await elsewhere.get(`/v1/requests?cursor=${next}`)).status).toBe(400)
  })
})
