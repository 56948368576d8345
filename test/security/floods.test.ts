import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/index.ts'
import { notesThread } from '../../src/protocol/ids.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { ask, inboxOf, seen } from '../support/gateway/inbox-scene.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'
import { receiver } from '../webhooks/receiver.ts'
import { sending, target } from '../webhooks/scene.ts'

const ada = { sub: 'ada', roles: ['admin'] }
const rex = { sub: 'rex', roles: ['reviewer'] }

describe('who listens to a quiet tenant', () => {
  /** What came after the greeting, without the ids themselves. */
  const shapeOf = (text: string) => [
    ...new Set(
      text
        .split('\n\n')
        .slice(1, -1)
        .map((each) => each.replace(/\S+$/, '…')),
    ),
  ]

  it('cannot tell by its heartbeats whether other tenants are busy, nor when it comes back', async () => {
    const store = memoryStore()
    const { url } = await served({ store, heartbeatSeconds: 0.02 })
    const token = await tokenOf('rex', { roles: ['reviewer'] })
    const listen = async (busy: boolean, lastEventId?: string) => {
      const stream = await openEvents(url, token, lastEventId === undefined ? {} : { lastEventId })
      await until(async () => {
        if (busy) await askForRefund(store.tenant('acme'))
        return stream.seen.text.split('\n\n').length > 6
      })
      stream.leave()
      return { shape: shapeOf(stream.seen.text), last: stream.seen.lastId }
    }
    const quiet = await listen(false)
    expect(quiet.shape).toEqual(['id: …'])
    expect((await listen(true)).shape).toEqual(quiet.shape)
    expect((await listen(false, quiet.last)).shape).toEqual(quiet.shape)
    const last = (await listen(false)).last
    expect((await listen(false, last)).shape).toEqual(quiet.shape)
  })
})

describe('a tenant whose targets hang', () => {
  it('does not hold up webhooks of other tenants', async () => {
    const store = memoryStore()
    const hanging = await receiver(() => undefined)
    const healthy = await receiver()
    const evil = store.tenant('evil')
    for (let i = 0; i < 10; i++) await target(evil, hanging.url)
    await target(store, healthy.url)
    await sending(store, { timeoutSeconds: 20 })
    for (let i = 0; i < 4; i++) await askForRefund(evil)
    await until(() => hanging.got.length >= 16)
    await askForRefund(store)
    await until(() => healthy.got.length === 1)
    expect(hanging.got.length).toBe(16)
  })

  it('cannot fill the queue with test messages', async () => {
    const store = memoryStore()
    const { id } = await target(store, 'http://127.0.0.1:9/hooks')
    const admin = inboxOf(store).as(ada)
    for (let i = 0; i < 10; i++) expect((await admin.post(`/v1/webhooks/${id}/test`)).status).toBe(200)
    const { status, headers } = await admin.post(`/v1/webhooks/${id}/test`)
    expect([status, headers.get('retry-after')]).toEqual([429, '10'])
  })
})

it('a request takes a thousand notes and no more: whoever opens it reads them all', async () => {
  const store = memoryStore()
  const [id] = await ask(store, 't', {})
  const by = { kind: 'person', id: 'rex' }
  const note = JSON.stringify({ v: 1, type: 'request.assigned', id, assignee: 'rex', by })
  await store.append({ threadId: notesThread(id!), entries: Array.from({ length: 999 }, () => note) })
  const caller = inboxOf(store).as(rex)
  const path = `/v1/requests/${id}`
  expect((await caller.post(`${path}/comments`, { text: 'last' }, 'key')).status).toBe(201)
  for (const [route, body] of [
    ['comments', { text: 'more' }],
    ['claim', {}],
    ['assign', { assignee: 'rex' }],
  ] as const) {
    const { status, body: refused } = await caller.post(`${path}/${route}`, body)
    expect([route, status, refused.code]).toEqual([route, 422, 'too_many_notes'])
  }
  // A retry of what was stored is no new note, and the request can still be decided.
  expect((await caller.post(`${path}/comments`, { text: 'last' }, 'key')).headers.get('idempotency-replayed')).toBe(
    'true',
  )
  const { request } = await caller.show(id!)
  expect((await caller.post(`${path}/decide`, { ...seen(request), decision: { type: 'reject' } })).status).toBe(200)
})

it('an approval cannot be made a timer: its undo window is at most an hour', async () => {
  const store = memoryStore()
  const [id] = await ask(store, 't', {})
  const caller = inboxOf(store).as(rex)
  const saw = seen((await caller.show(id!)).request)
  const decision = { type: 'approve' }
  for (const undoSeconds of [3601, 8 * 3600, 3_000_000_000, -1]) {
    expect((await caller.post(`/v1/requests/${id}/decide`, { ...saw, decision, undoSeconds })).status).toBe(400)
    const items = [{ id, ...saw }]
    expect((await caller.post('/v1/requests/decide', { items, decision, undoSeconds })).status).toBe(400)
  }
  expect((await caller.post(`/v1/requests/${id}/decide`, { ...saw, decision, undoSeconds: 3600 })).status).toBe(200)
})
