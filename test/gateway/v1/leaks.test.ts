import { describe, expect, it } from 'vitest'
import { apiRoutes } from '../../../src/gateway/v1/routes.ts'
import { createGateway, jwtAuth } from '../../../src/gateway.ts'
import { memoryStore, type Store } from '../../../src/index.ts'
import { ask, diskStore, inboxOf, type Person, seen, serverStore } from '../../support/gateway/inbox-scene.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'

const server = usePostgres()
const admin = { sub: 'ada', roles: ['admin'] }

/** What must not be seen: every string of the hidden call, its request, its thread and its people. */
const SECRETS = ['hiddenTool', 'hidden-secret', 'thread-of-others', 'hidden comment', 'hidden reason']

/**
 * A tenant with requests for anybody, requests for finance only (in a thread of their own, and beside one for anybody), decisions, grants and comments;
 * and the same in another tenant.
 */
async function scene(store: Store) {
  const hidden: string[] = []
  for (const tenant of ['default', 'other']) {
    const own = store.tenant(tenant)
    const { as } = inboxOf(store)
    const finance = as({ sub: 'fin', roles: ['operator'], groups: ['finance'], tenant })
    const secret = { tool: 'hiddenTool', args: { to: 'hidden-secret' }, lists: [['group:finance']] }
    const [mixedHidden] = await ask(own, `${tenant}-mixed`, secret, { args: { cents: 1 } })
    const [alone, decided] = await ask(own, `${tenant}-thread-of-others`, secret, secret)
    await ask(own, `${tenant}-plain`, { args: { cents: 2 } })
    const { request } = await finance.show(decided!)
    const body = {
      ...seen(request),
      decision: { type: 'reject', message: 'hidden reason' },
      always: { scope: 'thread' },
    }
    expect((await finance.post(`/v1/requests/${decided}/decide`, body)).status).toBe(200)
    for (const id of [mixedHidden, alone])
      expect((await finance.post(`/v1/requests/${id}/comments`, { text: 'hidden comment' })).status).toBe(201)
    hidden.push(mixedHidden!, alone!, decided!)
  }
  return { hidden }
}

const GETS = apiRoutes.filter(({ method, path }) => method === 'GET' && path !== '/v1/events')

/** Every GET route, with every id that it could be asked with. */
function pathsFor(ids: { requests: string[]; threads: string[]; grants: string[] }): string[] {
  return GETS.flatMap(({ path }) => {
    if (!path.includes(':id'))
      return [path, ...(path === '/v1/requests' ? [`${path}?status=all`, `${path}?status=closed`] : [])]
    const named = path.startsWith('/v1/requests')
      ? ids.requests
      : path.startsWith('/v1/threads')
        ? ids.threads
        : ids.grants
    return named.map((id) => path.replace(':id', encodeURIComponent(id)))
  })
}

const OTHERS: [string, Person][] = [
  ['a reviewer who is not in finance', { sub: 'rex', roles: ['reviewer'] }],
  ['a person without a role', { sub: 'una' }],
  ['a person of another group', { sub: 'gus', groups: ['fin', 'finance2'] }],
  ['an agent with every role', { sub: 'bot', roles: ['agent', 'admin', 'operator', 'auditor'], groups: ['finance'] }],
]

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => diskStore()],
  ['Postgres', () => serverStore(server.get().connectionString, freshSchema())],
])('in %s', (_, open) => {
  it.each(OTHERS)('%s finds nothing of what is for others, on any route', async (_who, person) => {
    const store = open()
    const { hidden } = await scene(store)
    const { as } = inboxOf(store)
    const { requests } = await as(admin).list('?status=all&limit=200')
    const threads = ['default-mixed', 'default-thread-of-others', 'default-plain', 'other-mixed', 'nowhere']
    const grants = (await as(admin).get<{ grants: { id: string }[] }>('/v1/grants?status=all')).body.grants
    expect(grants).toHaveLength(1)
    const ids = { requests: requests.map(({ id }) => id), threads, grants: grants.map(({ id }) => id) }
    for (const path of pathsFor(ids)) {
      const { status, text } = await as(person).get(path)
      for (const secret of [...SECRETS, ...hidden, ...grants.map(({ id }) => id)]) {
        // Who asks for an id knows it; nothing else may be in the answer.
        if (status === 200 || !path.includes(secret))
          expect([path, text]).toEqual([path, expect.not.stringContaining(secret)])
      }
    }
  })

  it('what is for others and what does not exist are refused alike', async () => {
    const store = open()
    const { hidden } = await scene(store)
    const { as } = inboxOf(store)
    const rex = as({ sub: 'rex', roles: ['reviewer'] })
    const absent = '01890000-0000-7000-8000-000000000001'
    const [grant] = (await as(admin).get<{ grants: { id: string }[] }>('/v1/grants')).body.grants
    const body = { version: 1, digest: 'x', decision: { type: 'approve' } }
    for (const path of [
      '',
      '/decide',
      '/answer',
      '/cancel',
      '/withdraw',
      '/preview',
      '/comments',
      '/assign',
      '/claim',
    ]) {
      const bodies: Record<string, object> = {
        '/answer': { version: 1, answer: true },
        '/cancel': { version: 1, reason: 'x' },
        '/withdraw': { version: 1 },
        '/preview': { version: 1, args: {} },
        '/comments': { text: 'x' },
        '/assign': { assignee: null },
        '/claim': {},
      }
      const call = (id: string) =>
        path === ''
          ? rex.get(`/v1/requests/${id}`)
          : rex.post(`/v1/requests/${id}${path}`, bodies[path] ?? body, `key${path}`)
      const [there, missing, ofOthers] = [await call(hidden[0]!), await call(absent), await call(hidden[3]!)]
      expect([path, there.status, there.text]).toEqual([path, 404, missing.text])
      expect([path, ofOthers.status, ofOthers.text]).toEqual([path, 404, missing.text])
    }
    for (const [there, missing] of [
      ['/v1/threads/default-thread-of-others', '/v1/threads/nowhere'],
      ['/v1/threads/default-plain/journal', '/v1/threads/nowhere/journal'],
    ])
      expect((await rex.get(there!)).text).toBe((await rex.get(missing!)).text)
    const revoke = (id: string) => rex.post(`/v1/grants/${id}/revoke`, {})
    expect((await revoke(grant!.id)).text).toBe((await revoke(absent)).text)
  })

  it('counts, pages, figures and threads are those of the same tenant without what is for others', async () => {
    const store = open()
    await scene(store)
    const { as } = inboxOf(store)
    const rex = as({ sub: 'rex', roles: ['reviewer'] })
    const { body: counts } = await rex.get<{ open: { count: number } }>('/v1/counts')
    const { requests, next } = await rex.list('?status=all')
    expect(requests).toHaveLength(2)
    expect(next).toBeUndefined()
    expect(counts.open.count).toBe(2)
    const figures = (await rex.get<{ counted: number; byTool: object[]; queueAge: { open: number } }>('/v1/figures'))
      .body
    expect([figures.counted, figures.byTool, figures.queueAge.open]).toEqual([2, [], 2])
    const { threads } = (await rex.get<{ threads: { id: string; open: number }[] }>('/v1/threads')).body
    expect(threads.map(({ id, open: count }) => [id, count])).toEqual([
      ['default-plain', 1],
      ['default-mixed', 1],
    ])
  })

  it('a reader of part of a thread reads a story without the calls of others', async () => {
    const store = open()
    await scene(store)
    const { as } = inboxOf(store)
    const rex = as({ sub: 'rex', roles: ['reviewer'] })
    const { requests } = await rex.list('?thread=default-mixed')
    const { story, cause } = await rex.show(requests[0]!.id)
    expect(cause).toMatchObject({ text: 'please: default-mixed' })
    expect(story.map(({ kind }) => kind)).toEqual(['person', 'policy', 'request'])
    const all = await as(admin).show(requests[0]!.id)
    expect(all.story.map(({ kind }) => kind)).toEqual(['person', 'policy', 'policy', 'request', 'request'])
  })
})

it('no route asks the store for all tenants, except for the audit of its own', async () => {
  const store = memoryStore()
  await ask(store, 't', {})
  const asked: string[] = []
  const watch = (inner: Store): Store =>
    new Proxy(inner, {
      get(target, name) {
        if (name === 'tenant') return (id: string) => watch(target.tenant(id))
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'threads' || name === 'due') asked.push(String(name))
          return Reflect.apply(value, target, args) as unknown
        }
      },
    })
  const auth = jwtAuth({
    secret: 'a secret of the tests that is long enough for HS256',
    issuer: 'tests',
    audience: 'gateway',
  })
  const gateway = createGateway({ auth, store: watch(store) })
  const { callerOf } = await import('../../support/gateway/inbox-scene.ts')
  const caller = callerOf(gateway, admin)
  const [item] = (await caller.list()).requests
  for (const path of pathsFor({ requests: [item!.id], threads: ['t'], grants: [] })) {
    asked.length = 0
    expect((await caller.get(path)).status).toBe(200)
    expect([path, asked]).toEqual([path, path.startsWith('/v1/audit') ? ['threads'] : []])
  }
})
