import { describe, expect, it } from 'vitest'
import type { RequestItem } from '../../../src/protocol/api/requests.ts'
import { ask, diskStore, inboxOf, seen, serverStore } from '../../support/gateway/inbox-scene.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { until } from '../../support/until.ts'

const server = usePostgres()
const ann = { sub: 'ann', roles: ['reviewer'] }
const bob = { sub: 'bob', roles: ['reviewer'] }

describe.each([
  ['SQLite', () => diskStore()],
  ['Postgres', () => serverStore(server.get().connectionString, freshSchema())],
])('in %s', (_, open) => {
  async function scene() {
    const store = open()
    const [id] = await ask(store, 't', {})
    const { as } = inboxOf(store)
    return { store, id: id!, as, ann: as(ann), bob: as(bob), path: `/v1/requests/${id}` }
  }

  it('a claim keeps others from claiming until it ends, and stops nobody from deciding', async () => {
    const { ann: one, bob: other, path } = await scene()
    const claimed = await one.post<RequestItem>(`${path}/claim`, { seconds: 1 })
    expect(claimed.body.assigned).toMatchObject({ id: 'ann', until: expect.any(String) })
    const refused = await other.post(`${path}/claim`, {})
    expect([refused.status, refused.body.code]).toEqual([409, 'taken'])
    expect(refused.body.request).toMatchObject({ assigned: { id: 'ann' } })
    expect((await other.list('?mine=true')).requests).toEqual([])
    expect((await one.list('?mine=true')).requests).toHaveLength(1)
    expect((await other.list('?assignee=ann')).requests).toHaveLength(1)
    await until(async () => (await other.post(`${path}/claim`, {})).status === 200)
    const { request } = await one.show(path.slice(13))
    expect(request.assigned?.id).toBe('bob')
    expect((await one.post(`${path}/decide`, { ...seen(request), decision: { type: 'reject' } })).status).toBe(200)
  })

  it('an assignment can be given, taken over by an operator and taken back, and is refused once decided', async () => {
    const { ann: one, as, path } = await scene()
    expect((await one.post<RequestItem>(`${path}/assign`, { assignee: 'bob' })).body.assigned).toEqual({ id: 'bob' })
    const operator = as({ sub: 'olga', roles: ['operator'] })
    expect((await operator.post<RequestItem>(`${path}/assign`, { assignee: null })).body).not.toHaveProperty('assigned')
    const { request } = await one.show(path.slice(13))
    await one.post(`${path}/decide`, { ...seen(request), decision: { type: 'reject' } })
    const late = await one.post(`${path}/assign`, { assignee: 'bob' })
    expect([late.status, late.body.code]).toEqual([409, 'already_decided'])
  })

  it('a comment is read by people, moves no version, and can be added after the decision', async () => {
    const { ann: one, bob: other, path, id } = await scene()
    const before = (await one.show(id)).request
    expect((await other.post(`${path}/comments`, { text: 'looks odd' })).body).toMatchObject({
      text: 'looks odd',
      by: { kind: 'person', id: 'bob', via: 'api' },
    })
    const after = await one.show(id)
    expect(after.request).toMatchObject({ version: before.version, comments: 1 })
    expect(after.comments).toMatchObject([{ text: 'looks odd' }])
    await one.post(`${path}/decide`, { ...seen(before), decision: { type: 'reject' } })
    expect((await one.post(`${path}/comments`, { text: 'done' })).status).toBe(201)
    for (const text of ['', ' ', 'x'.repeat(10_001)])
      expect((await one.post(`${path}/comments`, { text })).status).toBe(400)
  })

  it('an auditor reads and writes nothing; a reader who may not decide comments and claims nothing', async () => {
    const { as, path, store } = await scene()
    const auditor = as({ sub: 'aud', roles: ['auditor'] })
    for (const [route, body] of [
      ['comments', { text: 'x' }],
      ['assign', { assignee: 'aud' }],
      ['claim', {}],
    ] as const)
      expect((await auditor.post(`${path}/${route}`, body)).status).toBe(403)
    const [named] = await ask(store, 'u', { lists: [['bob']] })
    const operator = as({ sub: 'olga', roles: ['operator'] })
    expect((await operator.post(`/v1/requests/${named}/claim`, {})).status).toBe(403)
    expect((await operator.post(`/v1/requests/${named}/assign`, { assignee: 'bob' })).status).toBe(200)
    expect((await operator.post(`/v1/requests/${named}/comments`, { text: 'please' })).status).toBe(201)
  })
})
