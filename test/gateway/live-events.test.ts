import { describe, expect, it } from 'vitest'
import { FEED_ROWS } from '../../src/gateway/live/feed.ts'
import { cookieName, pairText } from '../../src/gateway/sign-in/cookie.ts'
import { newSession, sessionEnd } from '../../src/gateway/sign-in/session-records.ts'
import type { Auth, Caller } from '../../src/gateway.ts'
import { erase, memoryStore, openDesk, type Store } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { manyRequests } from '../support/stores/many-requests.ts'
import { until } from '../support/until.ts'

const BOB = { kind: 'person', id: 'bob' } as const

async function scene(options: Parameters<typeof served>[0] = {}) {
  const store = options.store ?? memoryStore()
  const { url, server } = await served({ store, heartbeatSeconds: 0.05, ...options })
  const open = async (sub: string, claims: object = {}, resume: { lastEventId?: string } = {}) =>
    openEvents(url, await tokenOf(sub, { roles: ['reviewer'], ...claims }), resume)
  return { store, url, server, open }
}

/** A store of which certain reads are counted. */
function counted(inner: Store): { store: Store; reads: Record<string, number> } {
  const reads: Record<string, number> = {}
  const wrap = (one: Store): Store =>
    new Proxy(one, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (name === 'tenant') return (id: string) => wrap(target.tenant(id))
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          reads[String(name)] = (reads[String(name)] ?? 0) + 1
          return value.apply(target, args)
        }
      },
    })
  return { store: wrap(inner), reads }
}

describe('GET /v1/events', () => {
  it('tells what happens to requests and grants, in order', async () => {
    const { store, open } = await scene()
    const { response, seen } = await open('ann')
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    await until(() => seen.lastId !== undefined)
    const { id } = await askForRefund(store)
    await until(() => seen.events.length === 1)
    await openDesk({ store }).decide({ request: id, decision: { type: 'approve' }, by: BOB, always: true })
    await until(() => seen.events.length === 3)
    expect(seen.events.slice(0, 2)).toEqual([
      { type: 'request', what: 'opened', id, version: 1 },
      { type: 'request', what: 'decided', id, version: 2 },
    ])
    expect(seen.events[2]).toMatchObject({ type: 'grant', what: 'created' })
  })

  it('tells each person only what they may see, and tenants nothing of each other', async () => {
    const { store, open } = await scene()
    const streams = {
      named: await open('bob', { roles: [] }),
      grouped: await open('joe', { roles: [], groups: ['finance'] }),
      other: await open('eve', { roles: ['reviewer'] }),
      auditor: await open('ada', { roles: ['auditor'] }),
      agent2: await open('sam', { roles: [] }),
      tenant: await open('bob', { roles: ['admin'], tenant: 'other' }),
    }
    await until(() => Object.values(streams).every(({ seen }) => seen.lastId !== undefined))
    const first = await askForRefund(store, { reviewers: ['bob', 'group:finance'] })
    const anybody = await askForRefund(store)
    const elsewhere = await askForRefund(store.tenant('other'))
    const ids = ({ seen }: { seen: { events: object[] } }) => seen.events.map((each) => 'id' in each && each.id)
    await until(() => ids(streams.auditor).length === 2 && ids(streams.tenant).length === 1)
    await until(() => ids(streams.named).length === 1 && ids(streams.other).length === 1)
    // One more of each, so that what is still missing would have come before it.
    const last = await askForRefund(store, { reviewers: ['bob', 'eve', 'sam', 'group:finance'] })
    await until(() => ids(streams.agent2).length === 1 && ids(streams.auditor).length === 3)
    await until(() => ids(streams.named).length === 2 && ids(streams.other).length === 2)
    await until(() => ids(streams.grouped).length === 2)
    expect(ids(streams.named)).toEqual([first.id, last.id])
    expect(ids(streams.grouped)).toEqual([first.id, last.id])
    expect(ids(streams.other)).toEqual([anybody.id, last.id])
    expect(ids(streams.auditor)).toEqual([first.id, anybody.id, last.id])
    expect(ids(streams.agent2)).toEqual([last.id])
    expect(ids(streams.tenant)).toEqual([elsewhere.id])
  })

  it('tells clients to load everything again after a request was erased, also clients that resume', async () => {
    const store = memoryStore()
    let erased = Promise.resolve()
    // The gateway reads that the request was closed only after it was erased.
    const late: Store = { ...store, outbox: (query) => erased.then(() => store.outbox(query)) }
    const { open } = await scene({ store: late })
    const streams = [await open('ann'), await open('sam', { roles: [] })]
    await until(() => streams.every(({ seen }) => seen.lastId !== undefined))
    const lastEventId = streams[0]!.seen.lastId!
    const { id } = await askForRefund(store)
    await until(() => streams[0]!.seen.events.length === 1)
    const { threadId } = (await store.getRequest(id))!
    erased = erase(store, { threadId, abort: true, by: 'dora', reason: 'asked for' }).then(() => undefined)
    await erased
    const resets = ({ seen }: (typeof streams)[number]) => seen.events.filter(({ type }) => type === 'reset')
    await until(() => streams.every((stream) => resets(stream).length === 1))
    // Whoever never saw the request does not learn its id.
    expect(streams[1]!.seen.events).toEqual([{ type: 'reset' }])
    const resumed = await open('ann', {}, { lastEventId })
    await until(() => resets(resumed).length === 1)
    const next = await askForRefund(store)
    for (const { seen } of [streams[0]!, resumed])
      await until(() => seen.events.some((event) => 'id' in event && event.id === next.id))
    expect([...streams, resumed].map((stream) => resets(stream).length)).toEqual([1, 1, 1])
  })

  it('is refused to agents, without a credential, and beyond the limit of one caller', async () => {
    const { url, open } = await scene({ maxWaitsPerCaller: 1 })
    expect((await open('robot', { roles: ['agent', 'admin'] })).response.status).toBe(403)
    expect((await fetch(`${url}/v1/events`)).status).toBe(401)
    await open('ann')
    const second = await open('ann')
    expect(second.response.status).toBe(429)
    expect(second.response.headers.get('retry-after')).toBe('1')
    expect((await open('bob')).response.status).toBe(200)
  })

  it('resumes after the last id, in this process and in another one', async () => {
    const { store, open } = await scene()
    const first = await open('ann')
    await until(() => first.seen.lastId !== undefined)
    const one = await askForRefund(store)
    await until(() => first.seen.events.length === 1)
    const lastEventId = first.seen.lastId!
    const two = await askForRefund(store)
    await until(() => first.seen.events.length === 2)
    first.leave()
    const three = await askForRefund(store)
    const here = await open('ann', {}, { lastEventId })
    const elsewhere = await (await scene({ store })).open('ann', {}, { lastEventId })
    const ids = ({ seen }: typeof here) => seen.events.map((each) => 'id' in each && each.id)
    await until(() => ids(here).length === 2 && ids(elsewhere).length === 2)
    const four = await askForRefund(store)
    await until(() => ids(here).length === 3 && ids(elsewhere).length === 3)
    expect(ids(here)).toEqual([two.id, three.id, four.id])
    expect(ids(elsewhere)).toEqual([two.id, three.id, four.id])
    expect(ids(first)).toEqual([one.id, two.id])
  })

  it('can be resumed before the first event, also past events that were for others', async () => {
    const { store, open } = await scene()
    const first = await open('eve', { roles: [] })
    await until(() => first.seen.lastId !== undefined)
    const before = first.seen.lastId
    await askForRefund(store, { reviewers: ['bob'] })
    await until(() => first.seen.lastId !== before)
    expect(first.seen.events).toEqual([])
    first.leave()
    const { id } = await askForRefund(store, { reviewers: ['eve'] })
    const second = await open('eve', { roles: [] }, { lastEventId: first.seen.lastId! })
    await until(() => second.seen.events.length === 1)
    expect(second.seen.events).toMatchObject([{ id }])
  })

  it('says reset if events were missed that are no longer kept, and then goes on', async () => {
    const clock = fakeClock()
    const { store, open } = await scene({ store: memoryStore({ clock }) })
    const first = await open('ann')
    await until(() => first.seen.lastId !== undefined)
    const lastEventId = first.seen.lastId!
    first.leave()
    await askForRefund(store)
    clock.advance(1)
    await store.prune({ outboxMs: 0 })
    const other = await scene({ store })
    const second = await other.open('ann', {}, { lastEventId })
    await until(() => second.seen.events.length === 1)
    const { id } = await askForRefund(store)
    await until(() => second.seen.events.length === 2)
    expect(second.seen.events).toEqual([{ type: 'reset' }, { type: 'request', what: 'opened', id, version: 1 }])
  })

  it('resumes whatever happened to other tenants, so that nobody learns how much that was', async () => {
    const { store, open } = await scene()
    const first = await open('ann')
    await until(() => first.seen.lastId !== undefined)
    const lastEventId = first.seen.lastId!
    first.leave()
    await manyRequests(store.tenant('other'), 1200)
    const { id } = await askForRefund(store)
    await manyRequests(store.tenant('other'), 1200)
    const elsewhere = await scene({ store })
    const second = await elsewhere.open('ann', {}, { lastEventId })
    await until(() => second.seen.events.length === 1)
    expect(second.seen.events).toMatchObject([{ type: 'request', what: 'opened', id }])
  })

  it('has ids that reveal nothing and that nobody can make', async () => {
    const { store, open } = await scene()
    const [one, two] = [await open('ann'), await open('ann', { tenant: 'other' })]
    await until(() => one.seen.lastId !== undefined && two.seen.lastId !== undefined)
    const { end } = await store.outbox()
    expect(Buffer.from(one.seen.lastId!, 'base64url').toString('latin1')).not.toContain(`${end} `)
    expect(one.seen.lastId).toHaveLength(two.seen.lastId!.length)
    for (const lastEventId of ['1', '0-0', 'x'.repeat(500), `${one.seen.lastId!.slice(0, -2)}AA`, two.seen.lastId!]) {
      const { seen, leave } = await open('ann', {}, { lastEventId })
      await until(() => seen.events.length === 1)
      expect(seen.events).toEqual([{ type: 'reset' }])
      leave()
    }
  })

  it('reads each request once, however many streams there are', async () => {
    const { store, reads } = counted(memoryStore())
    const { open } = await scene({ store, webhooks: false })
    const streams = await Promise.all(Array.from({ length: 60 }, (_, i) => open(`person${i}`)))
    await until(() => streams.every(({ seen }) => seen.lastId !== undefined))
    const { id } = await askForRefund(store)
    reads.getRequest = 0
    await openDesk({ store }).cancel(id, { reason: 'test', by: BOB })
    const byDesk = reads.getRequest
    await until(() => streams.every(({ seen }) => seen.events.length === 2))
    expect(reads.getRequest! - byDesk).toBeLessThanOrEqual(2)
    expect(reads.readRecord).toBeLessThanOrEqual(4)
  })
})

describe('rights at each delivery', () => {
  /** Credentials that can be changed while streams are open. */
  function changing() {
    const callers = new Map<string, Caller>()
    const auth: Auth = {
      async authenticate(request) {
        const caller = callers.get(request.header('authorization') ?? '')
        return caller ? { ok: true, caller } : { ok: false, detail: 'Signed out.' }
      },
    }
    const set = (sub: string, more: Partial<Caller> = {}) =>
      callers.set(`Bearer ${sub}`, { sub, tenant: 'default', roles: ['reviewer'], groups: [], ...more })
    return { auth, set, remove: (sub: string) => callers.delete(`Bearer ${sub}`) }
  }

  it('a change of role counts at the next event', async () => {
    const { auth, set } = changing()
    const { store, url } = await scene({ auth, heartbeatSeconds: 60 })
    set('ann')
    const { seen } = await openEvents(url, 'ann')
    await until(() => seen.lastId !== undefined)
    await askForRefund(store, { reviewers: ['bob'] })
    const one = await askForRefund(store)
    await until(() => seen.events.length === 1)
    set('ann', { roles: ['operator'] })
    const two = await askForRefund(store, { reviewers: ['bob'] })
    await until(() => seen.events.length === 2)
    set('ann', { roles: [] })
    await askForRefund(store, { reviewers: ['bob'] })
    await askForRefund(store)
    set('ann', { roles: [], groups: ['finance'] })
    const three = await askForRefund(store, { reviewers: ['group:finance'] })
    await until(() => seen.events.length === 3)
    expect(seen.events.map((each) => 'id' in each && each.id)).toEqual([one.id, two.id, three.id])
  })

  it('a stream whose sign-in was revoked gets nothing more and ends', async () => {
    const { auth, set, remove } = changing()
    const { store, url } = await scene({ auth, heartbeatSeconds: 60 })
    set('ann')
    const { seen, reading } = await openEvents(url, 'ann')
    await until(() => seen.lastId !== undefined)
    remove('ann')
    await askForRefund(store)
    await reading
    expect([seen.ended, seen.events]).toEqual([true, []])
  })

  it('a quiet stream whose sign-in was revoked ends at the next heartbeat', async () => {
    const { auth, set, remove } = changing()
    const { url } = await scene({ auth, heartbeatSeconds: 0.05 })
    set('ann')
    const { seen, reading } = await openEvents(url, 'ann')
    await until(() => seen.lastId !== undefined)
    remove('ann')
    await reading
    expect(seen.ended).toBe(true)
  })

  it('a stream of a signed-in browser follows its session: changed roles count at the next event, and it ends with it', async () => {
    const { store, url } = await scene({ heartbeatSeconds: 60 })
    const { cookie, change, session } = newSession({ sub: 'ann', tenant: 'default', roles: ['reviewer'] })
    await store.writeRecords([change])
    const { seen, reading } = await openEvents(url, undefined, {
      headers: { cookie: `${cookieName(url)}=${pairText(cookie)}` },
    })
    await until(() => seen.lastId !== undefined)
    await askForRefund(store, { reviewers: ['bob'] })
    const one = await askForRefund(store)
    await until(() => seen.events.length === 1)
    const stored = await store.readRecord('session', session.id)
    const value = JSON.stringify({ ...JSON.parse(stored!.value), roles: ['auditor'] })
    await store.writeRecords([{ op: 'put', kind: 'session', id: session.id, value }])
    const two = await askForRefund(store, { reviewers: ['bob'] })
    await until(() => seen.events.length === 2)
    expect(seen.events.map((each) => 'id' in each && each.id)).toEqual([one.id, two.id])
    await store.writeRecords([sessionEnd(session.id)])
    await askForRefund(store)
    await reading
    expect([seen.ended, seen.events.length]).toEqual([true, 2])
  })

  it('a stream ends when its credential expires', async () => {
    const { auth, set } = changing()
    const { url } = await scene({ auth, heartbeatSeconds: 60 })
    set('ann', { expiresAt: Date.now() + 2000 })
    const started = Date.now()
    const { response, seen, reading } = await openEvents(url, 'ann')
    expect(response.status).toBe(200)
    await reading
    expect(seen.ended).toBe(true)
    // Sooner than by the heartbeat, which looks too.
    expect(Date.now() - started).toBeLessThan(30_000)
  })

  it('a stream ends if its token cannot be checked', async () => {
    const { auth, set } = changing()
    let broken = false
    const failing: Auth = {
      authenticate: (request) => (broken ? Promise.reject(new Error('no keys')) : auth.authenticate(request)),
    }
    const { store, url } = await scene({ auth: failing, heartbeatSeconds: 60 })
    set('ann')
    const { seen, reading } = await openEvents(url, 'ann')
    await until(() => seen.lastId !== undefined)
    broken = true
    await askForRefund(store)
    await reading
    expect(seen.events).toEqual([])
  })
})

describe('live events through trouble', () => {
  it('survive an outage of the store', async () => {
    const inner = memoryStore()
    let away = false
    const flaky = new Proxy(inner, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name === 'outbox')
          return (...args: Parameters<Store['outbox']>) =>
            away ? Promise.reject(new Error('the store is away')) : target.outbox(...args)
        return value.bind(target)
      },
    })
    const { open } = await scene({ store: flaky, webhooks: false })
    const { seen } = await open('ann')
    await until(() => seen.lastId !== undefined)
    away = true
    const { id } = await askForRefund(inner)
    expect(await (await open('bob')).response.status).toBe(200)
    away = false
    await until(() => seen.events.length === 1)
    expect(seen.events).toMatchObject([{ id }])
    expect(seen.ended).toBe(false)
  })

  it('a client that missed very many events is told to load everything again', async () => {
    const { store, open } = await scene({ webhooks: false })
    const first = await open('ann')
    await until(() => first.seen.lastId !== undefined)
    first.leave()
    for (let i = 0; i <= FEED_ROWS; i++) await askForRefund(store)
    const second = await open('ann', {}, { lastEventId: first.seen.lastId! })
    await until(() => second.seen.events.length > 0)
    expect(second.seen.events).toEqual([{ type: 'reset' }])
  })

  it('end when the gateway stops', async () => {
    const { open, server } = await scene({ heartbeatSeconds: 60 })
    const { seen, reading } = await open('ann')
    await until(() => seen.lastId !== undefined)
    await server.close()
    await reading
    expect(seen.ended).toBe(true)
  })
})
