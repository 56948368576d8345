import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.ts'
import { ask, diskStore, inboxOf, serverStore } from '../../support/gateway/inbox-scene.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'

const server = usePostgres()
const ann = { sub: 'ann', roles: ['admin'] }

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => diskStore()],
  ['Postgres', () => serverStore(server.get().connectionString, freshSchema())],
])('in %s', (_, open) => {
  it('odd characters in paths, queries and bodies are refused or match nothing; nothing fails', async () => {
    const store = open()
    const [id] = await ask(store, 't', {})
    const caller = inboxOf(store).as(ann)
    for (const odd of ['%00', '%EF%BF%BF', '%F0%9F%A4%B7', "'; drop table requests; --", '%25', 'x'.repeat(300)]) {
      for (const path of ['/v1/requests/', '/v1/threads/', '/v1/grants/']) {
        const { status } = await caller.get(`${path}${odd}`)
        expect([path, odd, status]).toEqual([path, odd, 404])
      }
      for (const name of ['text', 'tool', 'agent', 'assignee', 'thread', 'tenant', 'cursor']) {
        const { status } = await caller.get(`/v1/requests?${name}=${odd}`)
        expect([name, odd, [200, 400].includes(status)]).toEqual([name, odd, true])
      }
      for (const path of [
        '/v1/grants?tool=',
        '/v1/grants?cursor=',
        '/v1/threads?cursor=',
        '/v1/audit?thread=',
        '/v1/audit/verify?after=',
      ]) {
        const { status } = await caller.get(`${path}${odd}`)
        expect([path, odd, [200, 400].includes(status)]).toEqual([path, odd, true])
      }
    }
    const post = async (path: string, body: unknown) =>
      (await caller.post(`/v1/requests/${id}/${path}`, body, 'key')).status
    expect(await post('assign', { assignee: '\0' })).toBe(400)
    expect(await post('assign', { assignee: '\ud800' })).toBe(400)
    expect(await post('comments', { text: 'a \ud800 b' })).toBe(400)
    expect(await post('comments', { text: 'a \0 b' })).toBe(201)
    expect((await caller.show(id!)).comments).toMatchObject([{ text: 'a \0 b' }])
  })
})
