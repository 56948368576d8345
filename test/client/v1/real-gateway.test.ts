import { describe, expect, it, vi } from 'vitest'
import { type ApiError, createInboxClient, type InboxClient, type LiveEvent } from '../../../src/client.ts'
import { memoryStore, type Store } from '../../../src/index.ts'
import { me } from '../../../src/protocol/api/people.ts'
import {
  auditLine,
  figures,
  grantPage,
  journalPage,
  threadDetail,
  threadPage,
  verification,
} from '../../../src/protocol/api/records.ts'
import {
  bulkResult,
  comment,
  counts,
  requestDetail,
  requestItem,
  requestPage,
} from '../../../src/protocol/api/requests.ts'
import { ask, diskStore } from '../../support/gateway/inbox-scene.ts'
import { served, tokenOf } from '../../support/gateway/served-gateway.ts'

async function gatewayWith(store: Store, port?: number) {
  const { url, server } = await served({ store, undoSeconds: 0 }, port === undefined ? {} : { port })
  const as = (sub: string, ...roles: string[]): InboxClient =>
    createInboxClient({ url, token: () => tokenOf(sub, { roles }), backoff: { initialMs: 10, maxMs: 50 } })
  return { url, server, as }
}

describe('the inbox client at a gateway', () => {
  it('gets what its types say, from every route', async () => {
    const store = diskStore()
    const [first, second, third] = await ask(store, 'order-1', { args: { cents: 5 } }, {}, {})
    const { as } = await gatewayWith(store)
    const ann = as('ann', 'operator')
    expect(me.parse(await ann.me())).toMatchObject({ id: 'ann', roles: ['operator'] })
    const { requests } = requestPage.parse(await ann.requests({ thread: 'order-1', mine: true, limit: 10 }))
    expect(requests.map(({ id }) => id).sort()).toEqual([first, second, third].sort())
    expect(counts.parse(await ann.counts()).open.count).toBe(3)
    const { request } = requestDetail.parse(await ann.request(first!))
    expect(comment.parse(await ann.comment(first!, { text: 'Hm.' })).text).toBe('Hm.')
    expect(requestItem.parse(await ann.claim(first!)).assigned?.id).toBe('ann')
    expect(requestItem.parse(await ann.assign(first!, { assignee: null })).assigned).toBeUndefined()
    const seen = { version: request.version, digest: request.digest! }
    const given = { ...seen, decision: { type: 'approve' as const }, always: { uses: 2 }, undoSeconds: 60 }
    const decided = requestItem.parse(await ann.decide(first!, given))
    expect(decided.decided).toMatchObject({ decision: { type: 'approve' }, by: { id: 'ann', via: 'api' } })
    expect(requestItem.parse(await ann.withdraw(first!, { version: decided.version })).status).toBe('open')
    const items = requests
      .filter(({ id }) => id !== first)
      .map(({ id, version, digest = '' }) => ({ id, version, digest }))
    const { outcomes } = bulkResult.parse(await ann.bulk({ items, decision: { type: 'reject', message: 'No.' } }))
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true])
    await expect(ann.preview(first!, { version: 3, args: {} })).rejects.toMatchObject({ code: 'preview_unavailable' })
    expect(threadPage.parse(await ann.threads()).threads).toMatchObject([{ id: 'order-1', open: 1 }])
    const { story } = threadDetail.parse(await ann.thread('order-1'))
    expect(story.length).toBeGreaterThan(2)
    const end = threadDetail.parse(await ann.thread('order-1', { limit: 1 }))
    const before = threadDetail.parse(await ann.thread('order-1', { before: end.before! }))
    expect([...before.story, ...end.story]).toEqual(story)
    expect((await ann.thread('order-1', { from: end.before! })).story).toEqual(end.story)
    const ending = AbortSignal.abort(new Error('left'))
    await expect(ann.thread('order-1', { signal: ending })).rejects.toThrow('left')
    const { entries } = journalPage.parse(await ann.journal('order-1', { limit: 1000 }))
    const lines = []
    for await (const line of ann.audit({ thread: 'order-1' })) lines.push(auditLine.parse(line))
    expect(lines.map(({ hash }) => hash)).toEqual(entries.map(({ hash }) => hash))
    expect(verification.parse(await ann.verify()).ok).toBe(true)
    expect(figures.parse(await ann.figures({ days: 1 })).byReviewer).toMatchObject([{ id: 'ann', decided: 2 }])
    const { grants } = grantPage.parse(await ann.grants({ status: 'all' }))
    expect((await ann.revoke(grants[0]!.id)).status).toBe('revoked')
  })

  it('a decision that was sent twice with one key counts once, and another body is refused', async () => {
    const store = memoryStore()
    const [id] = await ask(store, 'a', {})
    const { as } = await gatewayWith(store)
    const ann = as('ann', 'reviewer')
    const { request } = await ann.request(id!)
    const seen = { version: request.version, digest: request.digest! }
    const approve = { ...seen, decision: { type: 'approve' as const } }
    const first = await ann.decide(id!, approve, { idempotencyKey: 'k' })
    expect(await ann.decide(id!, approve, { idempotencyKey: 'k' })).toEqual(first)
    const other = { ...seen, decision: { type: 'reject' as const } }
    await expect(ann.decide(id!, other, { idempotencyKey: 'k' })).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_mismatch',
    })
    await expect(as('bob', 'reviewer').decide(id!, approve)).rejects.toMatchObject({
      status: 409,
      code: 'already_decided',
      request: { decided: { by: { id: 'ann' } } },
    })
  })

  it('live events go on after the last one when the gateway was restarted, and none is missed', async () => {
    const store = diskStore()
    const before = await gatewayWith(store)
    const events: LiveEvent[] = []
    const stream = before.as('ann', 'reviewer').events({ onEvent: (event) => events.push(event) })
    await vi.waitFor(() => expect(stream.state).toBe('live'))
    const [first] = await ask(store, 'a', {})
    await vi.waitFor(() => expect(opened(events)).toEqual([first]), 10_000)
    await before.server.close()
    await vi.waitFor(() => expect(stream.state).toBe('waiting'))
    const [second] = await ask(store, 'b', {})
    await gatewayWith(store, Number(new URL(before.url).port))
    await vi.waitFor(() => expect(opened(events)).toEqual([first, second]), 10_000)
    expect(events.filter(({ type }) => type === 'reset')).toEqual([])
    stream.close()
    await stream.ended
  })

  it('a page signs in for a cookie, and hears when the sign-in is revoked', async () => {
    const store = memoryStore()
    await ask(store, 'a', {})
    const { url, as } = await gatewayWith(store)
    const ended: ApiError[] = []
    const page = createInboxClient({ url, fetch: browserAt(url), onSignedOut: (error) => ended.push(error) })
    await expect(page.me()).rejects.toMatchObject({ status: 401 })
    const signedIn = await page.signIn({ token: await tokenOf('ann', { roles: ['reviewer'] }) })
    expect(signedIn.id).toBe('ann')
    const { requests } = await page.requests()
    const { id, version, digest } = requests[0]!
    const decided = await page.decide(id, { version, digest: digest!, decision: { type: 'reject' } })
    expect(decided.decided?.by).toMatchObject({ id: 'ann', via: 'inbox' })
    const { sessions } = await page.sessions()
    const stream = page.events({ onEvent: () => undefined })
    await vi.waitFor(() => expect(stream.state).toBe('live'))
    ended.length = 0
    await as('boss', 'admin').endSession(sessions[0]!.id)
    await expect(page.me()).rejects.toMatchObject({ status: 401 })
    expect(ended).toHaveLength(1)
    stream.close()
  })
})

function opened(events: readonly LiveEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'request' && event.what === 'opened' ? [event.id] : []))
}

/** Keeps the cookie and names its origin, as a browser does. */
function browserAt(origin: string): typeof fetch {
  let cookie = ''
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    if (cookie !== '') headers.set('cookie', cookie)
    if (init?.method !== 'GET') headers.set('origin', origin)
    const response = await fetch(input, { ...init, headers })
    const [given] = response.headers.getSetCookie()
    if (given !== undefined) cookie = given.split(';')[0]!
    return response
  }
}
