import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../../src/index.ts'
import type { GrantItem } from '../../../src/protocol/api/records.ts'
import type { BulkResult, RequestComment, RequestItem } from '../../../src/protocol/api/requests.ts'
import { fakeClock } from '../../../src/testing.ts'
import { ask, diskStore, inboxOf, seen, serverStore } from '../../support/gateway/inbox-scene.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { typesOf } from '../../support/stores/entries.ts'

const ann = { sub: 'ann', roles: ['operator'] }
const bob = { sub: 'bob', roles: ['operator'] }
const server = usePostgres()

/** A store whose appends are done, and then fail: the process died before it could answer. */
function dyingAfter(store: Store): { store: Store; heal(): void } {
  let dead = true
  const wrap = (inner: Store): Store =>
    new Proxy(inner, {
      get(target, name) {
        if (name === 'tenant') return (id: string) => wrap(target.tenant(id))
        if (name !== 'append') return bound(target, name)
        return async (given: Parameters<Store['append']>[0]) => {
          const outcome = await target.append(given)
          if (dead && outcome.ok) throw new Error('the process died')
          return outcome
        }
      },
    })
  const heal = (): void => {
    dead = false
  }
  return { store: wrap(store), heal }
}

function bound(target: Store, name: string | symbol): unknown {
  const value = Reflect.get(target, name) as unknown
  return typeof value === 'function' ? value.bind(target) : value
}

async function countOf(store: Store, type: string): Promise<number> {
  return (await typesOf(store, 't')).filter((each) => each === type).length
}

describe.each([
  ['SQLite', () => diskStore()],
  ['Postgres', () => serverStore(server.get().connectionString, freshSchema())],
])('an idempotency key in %s', (_, open) => {
  it('that is sent twice at once to two gateways makes one write, and both get the same answer', async () => {
    const store = open()
    const [id] = await ask(store, 't', {})
    const gateways = [inboxOf(store, { undoSeconds: 60 }), inboxOf(store, { undoSeconds: 60 })]
    const { request } = await gateways[0]!.as(ann).show(id!)
    const send = (path: string, body: object, key: string) =>
      Promise.all(gateways.map(({ as }) => as(ann).post<RequestItem>(`/v1/requests/${id}/${path}`, body, key)))
    const decided = await send('decide', { ...seen(request), decision: { type: 'approve' } }, 'k1')
    expect(decided.map(({ status }) => status)).toEqual([200, 200])
    expect(decided[1]!.body).toEqual(decided[0]!.body)
    expect(await countOf(store, 'request.decided')).toBe(1)
    const { version } = decided[0]!.body
    const withdrawn = await send('withdraw', { version }, 'k2')
    expect(withdrawn.map(({ status }) => status)).toEqual([200, 200])
    expect(withdrawn[1]!.body).toEqual(withdrawn[0]!.body)
    expect(await countOf(store, 'request.reopened')).toBe(1)
    const commented = await send('comments', { text: 'hm' }, 'k3')
    expect(commented.map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
    expect(commented[1]!.body).toEqual(commented[0]!.body)
    const claimed = await send('claim', { seconds: 60 }, 'k4')
    expect(claimed[1]!.body).toEqual(claimed[0]!.body)
    expect(claimed[0]!.body.comments).toBe(1)
    const after = await gateways[0]!.as(ann).show(id!)
    expect(after.comments).toHaveLength(1)
  })

  it('with another body is refused; of another person, request or route it is another key', async () => {
    const store = open()
    const [first, second] = await ask(store, 't', {}, {})
    const { as } = inboxOf(store)
    const path = `/v1/requests/${first}/comments`
    expect((await as(ann).post(path, { text: 'one' }, 'k')).status).toBe(201)
    const other = await as(ann).post(path, { text: 'two' }, 'k')
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch'])
    expect((await as(bob).post(path, { text: 'two' }, 'k')).status).toBe(201)
    expect((await as(ann).post(`/v1/requests/${second}/comments`, { text: 'two' }, 'k')).status).toBe(201)
    expect((await as(ann).post(`/v1/requests/${first}/claim`, {}, 'k')).status).toBe(200)
    const replayed = await as(ann).post<RequestComment>(path, { text: 'one' }, 'k')
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect(replayed.body).toMatchObject({ text: 'one', by: { id: 'ann' } })
    const { comments } = await as(ann).show(first!)
    expect(comments.map(({ text, by }) => [by.id, text])).toEqual([
      ['ann', 'one'],
      ['bob', 'two'],
    ])
  })

  it('gets the stored outcome after a crash between the commit and the reply', async () => {
    const store = open()
    const [id] = await ask(store, 't', {})
    const dying = dyingAfter(store)
    const { request } = await inboxOf(store).as(ann).show(id!)
    const path = `/v1/requests/${id}`
    const body = { ...seen(request), decision: { type: 'reject', message: 'no' }, undoSeconds: 60 }
    const cut = inboxOf(dying.store).as(ann)
    expect((await cut.post(`${path}/decide`, body, 'k1')).status).toBe(200)
    const decided = await cut.post<RequestItem>(`${path}/decide`, body, 'k1')
    expect([decided.status, decided.body.status]).toEqual([200, 'decided'])
    const version = { version: decided.body.version }
    expect((await cut.post(`${path}/withdraw`, version, 'k2')).status).toBe(200)
    expect((await cut.post(`${path}/comments`, { text: 'x' }, 'k3')).status).toBeLessThan(300)
    dying.heal()
    const later = inboxOf(store).as(ann)
    const again = await later.post<RequestItem>(`${path}/withdraw`, version, 'k2')
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.body).toMatchObject({ status: 'open', comments: 1 })
  })

  it('of a refused write is free: the next try is checked again', async () => {
    const store = open()
    const [id] = await ask(store, 't', {})
    const caller = inboxOf(store).as(ann)
    const { request } = await caller.show(id!)
    const path = `/v1/requests/${id}/decide`
    const wrong = { ...seen(request), digest: 'another', decision: { type: 'approve' } }
    expect((await caller.post(path, wrong, 'k')).status).toBe(409)
    expect((await caller.post(path, { ...seen(request), decision: { type: 'approve' } }, 'k')).status).toBe(200)
  })

  it('covers each item of a bulk decision and revoking', async () => {
    const store = open()
    const ids = await ask(store, 't', {}, {}, {})
    const caller = inboxOf(store).as(ann)
    const { requests } = await caller.list()
    const items = requests.map((request) => ({ id: request.id, ...seen(request) }))
    const approve = { items, decision: { type: 'approve' } }
    const first = await caller.post<BulkResult>('/v1/requests/decide', approve, 'k')
    const second = await caller.post<BulkResult>('/v1/requests/decide', approve, 'k')
    expect(second.body).toEqual(first.body)
    expect(first.body.outcomes.map(({ id, ok }) => [id, ok])).toEqual(requests.map(({ id }) => [id, true]))
    const other = await caller.post<BulkResult>(
      '/v1/requests/decide',
      { ...approve, decision: { type: 'reject' } },
      'k',
    )
    expect(other.body.outcomes.map((one) => ('code' in one ? one.code : 'ok'))).toEqual(
      ids.map(() => 'idempotency_mismatch'),
    )
    const [granted] = await ask(store, 'u', {})
    const { request } = await caller.show(granted!)
    const body = { ...seen(request), decision: { type: 'approve' }, always: { scope: 'thread' } }
    expect((await caller.post(`/v1/requests/${granted}/decide`, body)).status).toBe(200)
    const [grant] = (await caller.get<{ grants: GrantItem[] }>('/v1/grants')).body.grants
    const revoke = () => caller.post<GrantItem>(`/v1/grants/${grant!.id}/revoke`, { reason: 'enough' }, 'k')
    const revoked = [await revoke(), await revoke()]
    expect(revoked[1]!.body).toEqual(revoked[0]!.body)
    expect(revoked[1]!.headers.get('idempotency-replayed')).toBe('true')
    expect(revoked[0]!.body).toMatchObject({ status: 'revoked', revoked: { by: { id: 'ann' }, reason: 'enough' } })
  })
})

it.each(['', 'x'.repeat(201), 'tab\there', ' padded '])('a key such as %j is refused', async (key) => {
  const store = diskStore()
  const [id] = await ask(store, 't', {})
  const { gateway } = inboxOf(store)
  const { tokenOf } = await import('../../support/gateway/served-gateway.ts')
  const headers = { authorization: `Bearer ${await tokenOf('ann', { roles: ['reviewer'] })}` }
  const request = new Request(`http://localhost/v1/requests/${id}/comments`, {
    method: 'POST',
    headers,
    body: '{"text":"x"}',
  })
  Object.defineProperty(request, 'headers', { value: new Map([...request.headers, ['idempotency-key', key]]) })
  const response = await gateway.fetch(request)
  expect(response.status).toBe(400)
})

it('a key is free again after 24 hours', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const [id] = await ask(store, 't', {})
  const caller = inboxOf(store).as(ann)
  const path = `/v1/requests/${id}/comments`
  expect((await caller.post(path, { text: 'one' }, 'k')).status).toBe(201)
  await clock.advance(24 * 60 * 60 * 1000 - 1)
  expect((await caller.post(path, { text: 'two' }, 'k')).status).toBe(422)
  await clock.advance(1)
  expect((await caller.post(path, { text: 'two' }, 'k')).status).toBe(201)
})
