import { describe, expect, it } from 'vitest'
import { openingsIn, sightOf } from '../../../src/gateway/v1/views/sight.ts'
import { storyOf } from '../../../src/gateway/v1/views/story.ts'
import { parseThread } from '../../../src/gateway/v1/views/thread-entries.ts'
import { erase, memoryStore, openDesk, RunState, run, type Store } from '../../../src/index.ts'
import type { ThreadDetail } from '../../../src/protocol/api/records.ts'
import type { StoryItem } from '../../../src/protocol/api/requests.ts'
import { ask, diskStore, inboxOf, type Person, seen, serverStore } from '../../support/gateway/inbox-scene.ts'
import { decidedInside, longRun, longThread } from '../../support/gateway/long-threads.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { until } from '../../support/until.ts'

const server = usePostgres()
const ada = { sub: 'ada', roles: ['admin'] }
const rex = { sub: 'rex', roles: ['reviewer'] }

type Inbox = ReturnType<ReturnType<typeof inboxOf>['as']>

/** The story of all entries at once, as one person may know it. */
async function wholeStory(store: Store, threadId: string, person: Person): Promise<StoryItem[]> {
  const entries = parseThread(threadId, (await store.read(threadId)).entries)
  const caller = { tenant: 'default', roles: [], groups: [], ...person }
  return storyOf(entries, { sight: sightOf(caller, openingsIn(entries)) }).steps.map(({ item }) => item)
}

async function page(inbox: Inbox, threadId: string, query = ''): Promise<ThreadDetail> {
  const { status, body } = await inbox.get<ThreadDetail>(`/v1/threads/${threadId}${query}`)
  expect([query, status]).toEqual([query, 200])
  return body
}

/** All pages from the end backwards, put together. */
async function allPages(inbox: Inbox, threadId: string, query: string): Promise<StoryItem[]> {
  let { story, before } = await page(inbox, threadId, `?${query}`)
  while (before !== undefined) {
    const earlier: ThreadDetail = await page(inbox, threadId, `?${query}&before=${before}`)
    story = [...earlier.story, ...story]
    before = earlier.before
  }
  return story
}

/** The call in which another agent works is under way for many pages: it is told where it starts and where it ends. */
const isOuter = (item: StoryItem) => item.kind === 'tool' && item.tool === 'researcher'

/** A store that counts the entries that are read of it. */
function counting(store: Store) {
  const count = { entries: 0 }
  const wrap = (inner: Store): Store => ({
    ...inner,
    tenant: (id) => wrap(inner.tenant(id)),
    async read(threadId, options) {
      const slice = await inner.read(threadId, options)
      count.entries += slice.entries.length
      return slice
    },
    async readBack(threadId, query) {
      const part = await inner.readBack(threadId, query)
      count.entries += part.entries.length
      return part
    },
  })
  return { store: wrap(store), count }
}

describe.each([
  ['memory', () => memoryStore(), ['', 'limit=3', 'limit=90']],
  ['SQLite', () => diskStore(), ['', 'limit=90']],
  ['Postgres', () => serverStore(server.get().connectionString, freshSchema()), ['limit=30']],
] as const)('the pages of a long thread in %s', (_, open, queries) => {
  it('put together are the whole story, whatever their size, with agents that hand over and agents inside of calls', async () => {
    const store = open()
    await longThread(store, 't')
    const inbox = inboxOf(store).as(ada)
    const whole = await wholeStory(store, 't', ada)
    for (const query of queries) {
      const told = await allPages(inbox, 't', query)
      expect(told.filter((item) => !isOuter(item))).toEqual(whole.filter((item) => !isOuter(item)))
      const outer = told.filter(isOuter).map((item) => item.kind === 'tool' && item.state)
      expect(outer).toEqual(['started', 'finished'])
    }
  })

  it('show nobody what is for others', async () => {
    const store = open()
    await longThread(store, 't', { bob: true })
    const inbox = inboxOf(store).as(rex)
    const whole = await wholeStory(store, 't', rex)
    const told = await allPages(inbox, 't', 'limit=30')
    expect(told.filter((item) => !isOuter(item))).toEqual(whole.filter((item) => !isOuter(item)))
    expect(JSON.stringify(told)).not.toContain('bob')
    const everything = await wholeStory(store, 't', ada)
    expect(JSON.stringify(everything)).toContain('bob')
  })

  it('cost as much in a thread that is twice as long', async () => {
    const inner = open()
    const read: number[][] = []
    for (const turns of [80, 160]) {
      const threadId = `t${turns}`
      const { id } = await longRun(inner, threadId, turns)
      const { store, count } = counting(inner)
      const inbox = inboxOf(store).as(rex)
      const costs = []
      for (const path of [`/v1/requests/${id}`, `/v1/threads/${threadId}`]) {
        count.entries = 0
        expect((await inbox.get(path)).status).toBe(200)
        costs.push(count.entries)
      }
      read.push(costs)
    }
    for (const [short, long] of [0, 1].map((at) => [read[0]![at]!, read[1]![at]!] as const)) {
      expect(short).toBeLessThan(160)
      // Where the last snapshot is differs.
      expect(Math.abs(long - short)).toBeLessThan(30)
    }
  })

  it('an erased thread has none, also for those who hold a cursor', async () => {
    const store = open()
    await longRun(store, 't', 80)
    const inbox = inboxOf(store).as(ada)
    const { before } = await page(inbox, 't')
    await erase(store, { threadId: 't', abort: true, by: 'dora', reason: 'asked for' })
    for (const query of ['', `?before=${before}`, `?from=${before}`])
      expect(await inbox.get(`/v1/threads/t${query}`)).toMatchObject({ status: 410, body: { code: 'thread_erased' } })
  })
})

describe('the detail of a request in a long thread', () => {
  it('has the call, its cause, the words before it, the schema, the policies and the last steps', async () => {
    const store = memoryStore()
    const { id } = await longRun(store, 't', 150)
    const detail = await inboxOf(store).as(rex).show(id)
    expect(detail).toMatchObject({
      request: { args: { to: 'ann' }, digest: expect.any(String) },
      cause: { text: 'please' },
      modelText: 'Now I pay.',
      argsSchema: { type: 'object', properties: { to: { type: 'string' } } },
      before: expect.any(String),
    })
    expect(detail).not.toHaveProperty('earlier')
    expect(detail.story.length).toBeGreaterThanOrEqual(8)
    expect(detail.story.length).toBeLessThanOrEqual(20)
    expect(detail.story.at(-1)).toMatchObject({ kind: 'request', id, here: true, status: 'open' })
    expect(detail.story.at(-2)).toMatchObject({ kind: 'model', agent: 'clerk', text: 'Now I pay.' })
  })

  it('is the same without snapshots, which a store may drop', async () => {
    const inner = memoryStore()
    const { id } = await longRun(inner, 't', 80)
    const drop = (store: Store): Store => ({
      ...store,
      tenant: (tenant) => drop(store.tenant(tenant)),
      read: (threadId, options) => store.read(threadId, options?.after === undefined ? {} : { after: options.after }),
    })
    const shown = async (store: Store) => {
      const { before: _sealed, ...detail } = await inboxOf(store).as(rex).show(id)
      return detail
    }
    expect(await shown(drop(inner))).toEqual(await shown(inner))
  })

  it('has what the user said last before it, also if that came in the middle of a long run', async () => {
    const store = memoryStore()
    const { agent, state } = await longRun(store, 't', 80)
    const inbox = inboxOf(store).as(rex)
    const { requests } = await inbox.list()
    const first = await inbox.show(requests[0]!.id)
    await state.addInput('and hurry')
    // What is said later did not lead to it.
    expect((await inbox.show(requests[0]!.id)).cause).toMatchObject({ text: 'please' })
    await inbox.post(`/v1/requests/${requests[0]!.id}/decide`, {
      ...seen(first.request),
      decision: { type: 'approve' },
    })
    await run(agent, await RunState.load(agent, { threadId: 't', store }), { store })
    const later = await longRun(store, 't', 80)
    expect((await inbox.show(later.id)).cause).toMatchObject({ text: 'please' })
    // The request of the run before is found with its own.
    const old = await inbox.show(requests[0]!.id)
    expect(old).toMatchObject({ cause: { text: 'please' }, modelText: 'Now I pay.' })
    expect(old.story.at(-1)).toMatchObject({ kind: 'request', here: true, status: 'decided', by: { id: 'rex' } })
  })

  it('looks up what was said and called long before, instead of reading all that came after', async () => {
    const inner = memoryStore()
    const [id] = await longThread(inner, 't')
    const { store, count } = counting(inner)
    const { story, cause } = await inboxOf(store).as(rex).show(id!)
    expect(cause).toMatchObject({ text: 'second words' })
    expect(story.length).toBeGreaterThan(10)
    expect((await inner.readHead('t')).version).toBeGreaterThan(1000)
    expect(count.entries).toBeLessThan(200)
    // A page in the middle of what an agent did inside of a call: who it is was said far before.
    const inbox = inboxOf(store).as(rex)
    const { before } = await page(inbox, 't', '?limit=120')
    count.entries = 0
    const inside = await page(inbox, 't', `?before=${before}`)
    expect(new Set(inside.story.flatMap((item) => (item.kind === 'model' ? [item.agent] : [])))).toEqual(
      new Set(['researcher']),
    )
    expect(count.entries).toBeLessThan(400)
  })

  it('leads to the steps before those that it shows', async () => {
    const store = memoryStore()
    const { id } = await longRun(store, 't', 80)
    const inbox = inboxOf(store).as(rex)
    const { story, before } = await inbox.show(id)
    const earlier = await page(inbox, 't', `?limit=200&before=${before}`)
    const whole = await wholeStory(store, 't', rex)
    const { here: _here, ...last } = story.at(-1) as StoryItem & { here?: true }
    expect([...earlier.story, ...story.slice(0, -1), last]).toEqual(whole)
    expect(earlier).not.toHaveProperty('before')
  })
})

describe('the story of a thread', () => {
  it('says on every page what became of a request by now', async () => {
    const store = memoryStore()
    const { agent, id } = await longRun(store, 't', 80)
    const inbox = inboxOf(store).as(rex)
    const { request } = await inbox.show(id)
    await inbox.post(`/v1/requests/${id}/decide`, { ...seen(request), decision: { type: 'approve' } })
    await run(agent, await RunState.load(agent, { threadId: 't', store }), { store })
    await longRun(store, 't', 80)
    const told = await allPages(inbox, 't', 'limit=1')
    expect(told.find((item) => item.kind === 'request' && item.id === id)).toMatchObject({
      status: 'decided',
      by: { id: 'rex' },
    })
  })

  it('says of a decision that was taken back that the request is open', async () => {
    const store = memoryStore()
    const desk = openDesk({ store })
    const { agent } = decidedInside(async () => {
      const [request] = (await desk.list({ status: 'open' })).requests
      await desk.decide({ request: request!.id, decision: { type: 'approve' }, by: 'ann', undoSeconds: 60 })
    })
    const running = run(agent, 'go', { store, threadId: 't' })
    const all = async () => (await desk.list({})).requests.toReversed()
    await until(async () => (await all()).length === 2)
    const [id = '', inner = ''] = (await all()).map((request) => request.id)
    const inbox = inboxOf(store).as(rex)
    const outer = async () => (await inbox.show(inner)).story.find((item) => 'id' in item && item.id === id)
    expect(await outer()).toMatchObject({ status: 'decided', by: { id: 'ann' } })
    await desk.withdraw(id, 'ann')
    await running
    expect(await outer()).toMatchObject({ id, status: 'open' })
    expect(await outer()).not.toHaveProperty('by')
    await desk.decide({ request: id, decision: { type: 'reject' }, by: 'bea', undoSeconds: 60 })
    expect(await outer()).toMatchObject({ status: 'decided', by: { id: 'bea' } })
  })

  it('goes back through more runs than are marked', async () => {
    const store = memoryStore()
    const inbox = inboxOf(store).as(ada)
    for (let nth = 0; nth < 12; nth++) {
      const { agent, id } = await longRun(store, 't', 8)
      const { request } = await inbox.show(id)
      await inbox.post(`/v1/requests/${id}/decide`, { ...seen(request), decision: { type: 'approve' } })
      await run(agent, await RunState.load(agent, { threadId: 't', store }), { store })
    }
    expect(await allPages(inbox, 't', 'limit=5')).toEqual(await wholeStory(store, 't', ada))
    for (const { id } of (await inbox.list('?status=all')).requests)
      expect(await inbox.show(id)).toMatchObject({ cause: { text: 'please' }, modelText: 'Now I pay.' })
  })

  it('can be told again from a place on, as long as that is not too far back', async () => {
    const store = memoryStore()
    const { agent, id } = await longRun(store, 't', 80)
    const inbox = inboxOf(store).as(rex)
    const shown = await page(inbox, 't')
    const { request } = await inbox.show(id)
    await inbox.post(`/v1/requests/${id}/decide`, { ...seen(request), decision: { type: 'approve' } })
    await run(agent, await RunState.load(agent, { threadId: 't', store }), { store })
    const again = await page(inbox, 't', `?from=${shown.before}`)
    expect(again.story[0]).toEqual(shown.story[0])
    expect(again.story.slice(shown.story.length).map(({ kind }) => kind)).toEqual(['tool', 'model', 'end'])
    const earlier = await page(inbox, 't', `?limit=200&before=${again.before}`)
    expect([...earlier.story, ...again.story]).toEqual(await wholeStory(store, 't', rex))
    await longRun(store, 't', 300)
    const tooFar = await inbox.get(`/v1/threads/t?from=${shown.before}`)
    expect(tooFar).toMatchObject({ status: 400, body: { code: 'too_far_back' } })
  })

  it('of a short thread is whole, and is cut where somebody asks for less', async () => {
    const store = memoryStore()
    await longRun(store, 't', 20)
    const inbox = inboxOf(store).as(rex)
    const whole = await page(inbox, 't')
    expect(whole).not.toHaveProperty('before')
    expect(whole).not.toHaveProperty('earlier')
    const some = await page(inbox, 't', '?limit=10')
    expect(some.story).toEqual(whole.story.slice(-some.story.length))
    expect(some).toMatchObject({ earlier: whole.story.length - some.story.length, before: expect.any(String) })
  })

  it('refuses limits and places that it did not give', async () => {
    const store = memoryStore()
    await longRun(store, 't', 80)
    await longRun(store, 'u', 80)
    await ask(store.tenant('other'), 't', {})
    const { as } = inboxOf(store)
    const { before } = await page(as(rex), 't')
    expect(Buffer.from(before!, 'base64url').toString()).not.toMatch(/\d{3}/)
    const refused = async (person: Person, path: string) => (await as(person).get(path)).status
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=x',
      'limit=1.5',
      'before=5',
      'from=5',
      'after=1',
      `cursor=${before}`,
    ])
      expect([query, await refused(rex, `/v1/threads/t?${query}`)]).toEqual([query, 400])
    for (const name of ['before', 'from']) {
      expect(await refused(rex, `/v1/threads/u?${name}=${before}`)).toBe(400)
      expect(await refused({ ...rex, tenant: 'other' }, `/v1/threads/t?${name}=${before}`)).toBe(400)
      expect((await as(rex).get(`/v1/threads/u?${name}=${before}`)).body.detail).toContain(`${name}: `)
    }
    // Whoever may not see the thread learns nothing by a place in it.
    expect(await refused({ sub: 'una' }, `/v1/threads/t?before=${before}`)).toBe(404)
  })
})
