import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../../src/index.ts'
import type { AuditLine, Verification } from '../../../src/protocol/api/records.ts'
import { ask, diskStore, inboxOf, serverStore } from '../../support/gateway/inbox-scene.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'

const server = usePostgres()
const auditor = { sub: 'aud', roles: ['auditor'] }

/** A store that reads one entry of a thread otherwise than it was written. */
function tampered(store: Store, threadId: string): Store {
  const wrap = (inner: Store): Store =>
    new Proxy(inner, {
      get(target, name) {
        if (name === 'tenant') return (id: string) => wrap(target.tenant(id))
        if (name === 'readChain')
          return async (id: string) => {
            const chain = await target.readChain(id)
            return id === threadId
              ? chain.map((entry, nth) =>
                  nth === 1 ? { ...entry, body: entry.body.replace('"v":1', '"v":1 ') } : entry,
                )
              : chain
          }
        const value = Reflect.get(target, name) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  return wrap(store)
}

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => diskStore()],
  ['Postgres', () => serverStore(server.get().connectionString, freshSchema())],
])('the audit in %s', (_, open) => {
  it('exports every entry of the tenant as JSON Lines, and of no other tenant', async () => {
    const store = open()
    for (const tenant of ['a-before', 'default', 'z-after']) {
      await ask(store.tenant(tenant), 'one', { args: { of: tenant } })
      await ask(store.tenant(tenant), 'two', {})
    }
    const { text, headers } = await inboxOf(store).as(auditor).get('/v1/audit')
    expect(headers.get('content-type')).toBe('application/x-ndjson')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine)
    expect([...new Set(lines.map(({ thread }) => thread))]).toEqual(['one', 'two'])
    expect(text).not.toContain('a-before')
    expect(text).not.toContain('z-after')
    const own = lines.filter(({ thread }) => thread === 'one')
    const chain = await store.tenant('default').readChain('one')
    expect(own.map(({ seq, hash }) => [seq, hash])).toEqual(
      chain.map(({ seq, hash }) => [seq, Buffer.from(hash).toString('hex')]),
    )
    expect(own.map(({ entry }) => entry)).toEqual(chain.map(({ body }) => JSON.parse(body)))
  })

  it('exports one thread, or the entries of a time', async () => {
    const store = open()
    await ask(store, 'one', {})
    await ask(store, 'two', {})
    const caller = inboxOf(store).as(auditor)
    expect((await caller.get('/v1/audit?thread=two')).text).not.toContain('"thread":"one"')
    expect((await caller.get('/v1/audit?to=2000-01-01T00:00:00Z')).text).toBe('')
    expect((await caller.get('/v1/audit?from=2000-01-01T00:00:00Z')).text).toContain('"thread":"one"')
    expect((await caller.get('/v1/audit?thread=nowhere')).text).toBe('')
  })

  it('verifies every chain, and finds what was changed', async () => {
    const store = open()
    await ask(store, 'one', {})
    await ask(store, 'two', {})
    const { body } = await inboxOf(store).as(auditor).get<Verification>('/v1/audit/verify')
    expect(body).toMatchObject({ ok: true, threads: 2, problems: [], signed: false })
    expect(body.entries).toBe((await store.read('one')).version + (await store.read('two')).version)
    const broken = await inboxOf(tampered(store, 'two')).as(auditor).get<Verification>('/v1/audit/verify')
    expect(broken.body).toMatchObject({ ok: false, threads: 2 })
    expect(broken.body.problems).toEqual([{ threadId: 'two', problem: expect.stringContaining('entry 2') }])
    const after = await inboxOf(store).as(auditor).get<Verification>('/v1/audit/verify?after=one')
    expect(after.body.threads).toBe(1)
    expect((await inboxOf(store).as(auditor).get('/v1/audit/verify?thread=nowhere')).status).toBe(404)
  })

  it('shows the journal of a thread in pages', async () => {
    const store = open()
    await ask(store, 'a/b', {})
    const caller = inboxOf(store).as(auditor)
    const first = await caller.get<{ entries: { seq: number }[]; next: number }>('/v1/threads/a%2Fb/journal?limit=2')
    expect(first.body.entries.map(({ seq }) => seq)).toEqual([1, 2])
    const rest = await caller.get<{ entries: { seq: number }[] }>(`/v1/threads/a%2Fb/journal?after=${first.body.next}`)
    expect(rest.body.entries[0]!.seq).toBe(3)
    expect(rest.body).not.toHaveProperty('next')
  })
})

it('is for operators, admins and auditors', async () => {
  const { as } = inboxOf(memoryStore())
  for (const path of ['/v1/audit', '/v1/audit/verify']) {
    for (const role of ['operator', 'admin', 'auditor'])
      expect((await as({ sub: 'x', roles: [role] }).get(path)).status).toBe(200)
    expect((await as({ sub: 'x', roles: ['reviewer'] }).get(path)).status).toBe(403)
  }
})

it('an export waits for its reader: it reads the next thread when the lines before it were taken', async () => {
  const store = memoryStore()
  for (let i = 0; i < 20; i++)
    await ask(store, `t${String(i).padStart(2, '0')}`, { args: { filler: 'x'.repeat(100_000) } })
  let reads = 0
  const wrap = (inner: Store): Store =>
    new Proxy(inner, {
      get(target, name) {
        if (name === 'tenant') return (id: string) => wrap(target.tenant(id))
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          if (name === 'readChain') reads += 1
          return value.apply(target, given)
        }
      },
    })
  const { gateway } = inboxOf(wrap(store))
  const { tokenOf } = await import('../../support/gateway/served-gateway.ts')
  const headers = { authorization: `Bearer ${await tokenOf('aud', { roles: ['auditor'] })}` }
  const response = await gateway.request('/v1/audit', { headers })
  const reader = response.body!.getReader()
  await reader.read()
  expect(reads).toBeLessThanOrEqual(2)
  await reader.cancel()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(reads).toBeLessThanOrEqual(2)
})
