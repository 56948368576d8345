import { describe, expect, it } from 'vitest'
import type { ZodType } from 'zod'
import type { InboxClient } from '../../../src/client.ts'
import { sessionQuery, signIn } from '../../../src/protocol/api/people.ts'
import { previewBody } from '../../../src/protocol/api/previews.ts'
import { revokeBody } from '../../../src/protocol/api/records.ts'
import {
  answerBody,
  assignBody,
  bulkBody,
  cancelBody,
  claimBody,
  commentBody,
  decideBody,
  requestQuery,
  withdrawBody,
} from '../../../src/protocol/api/requests.ts'
import { webhookBody, webhookChange } from '../../../src/protocol/api/webhooks.ts'
import { json, withApi } from './api-server.ts'

/** Each call of the client, the route that it must use, and the schema of what it sends. */
const CALLS: [route: string, call: (client: InboxClient) => Promise<unknown>, sends?: ZodType][] = [
  ['GET /v1/me', (client) => client.me()],
  ['GET /v1/requests', (client) => client.requests({ status: 'all', mine: true, text: 'a&b', limit: 5 }), requestQuery],
  ['GET /v1/counts', (client) => client.counts()],
  ['GET /v1/requests/a%2Fb', (client) => client.request('a/b')],
  [
    'POST /v1/requests/r1/decide',
    (client) =>
      client.decide('r1', { version: 1, digest: 'd', decision: { type: 'approve' }, always: { scope: 'thread' } }),
    decideBody,
  ],
  ['POST /v1/requests/r1/answer', (client) => client.answer('r1', { version: 1, answer: true }), answerBody],
  ['POST /v1/requests/r1/cancel', (client) => client.cancel('r1', { version: 1, reason: 'no' }), cancelBody],
  ['POST /v1/requests/r1/withdraw', (client) => client.withdraw('r1', { version: 2 }), withdrawBody],
  ['POST /v1/requests/r1/preview', (client) => client.preview('r1', { version: 1, args: { n: 2 } }), previewBody()],
  [
    'POST /v1/requests/decide',
    (client) => client.bulk({ items: [{ id: 'r1', version: 1, digest: 'd' }], decision: { type: 'reject' } }),
    bulkBody,
  ],
  ['POST /v1/requests/r1/comments', (client) => client.comment('r1', { text: 'Hm.' }), commentBody],
  ['POST /v1/requests/r1/assign', (client) => client.assign('r1', { assignee: null }), assignBody],
  ['POST /v1/requests/r1/claim', (client) => client.claim('r1'), claimBody],
  ['GET /v1/threads', (client) => client.threads({ limit: 3 })],
  ['GET /v1/threads/order-42', (client) => client.thread('order-42')],
  ['GET /v1/threads/order-42/journal', (client) => client.journal('order-42', { after: 7 })],
  ['GET /v1/grants', (client) => client.grants({ tool: 'refund' })],
  ['POST /v1/grants/g1/revoke', (client) => client.revoke('g1'), revokeBody],
  ['GET /v1/audit/verify', (client) => client.verify()],
  ['GET /v1/figures', (client) => client.figures({ days: 30 })],
  ['POST /v1/session', (client) => client.signIn({ code: 'abc' }), signIn],
  ['DELETE /v1/session', (client) => client.signOut()],
  ['GET /v1/sessions', (client) => client.sessions({ person: 'ann', limit: 5 }), sessionQuery],
  ['DELETE /v1/sessions/s1', (client) => client.endSession('s1')],
  ['GET /v1/webhooks', (client) => client.webhooks.list()],
  ['POST /v1/webhooks', (client) => client.webhooks.add({ url: 'https://example.com/hook' }), webhookBody()],
  ['POST /v1/webhooks/w1', (client) => client.webhooks.change('w1', { enabled: false }), webhookChange()],
  ['DELETE /v1/webhooks/w1', (client) => client.webhooks.remove('w1')],
  ['POST /v1/webhooks/w1/rotate', (client) => client.webhooks.rotate('w1')],
  ['POST /v1/webhooks/w1/test', (client) => client.webhooks.test('w1')],
  ['GET /v1/webhooks/w1/deliveries', (client) => client.webhooks.deliveries('w1', { cursor: 'c' })],
  ['POST /v1/deliveries/d1/resend', (client) => client.webhooks.resend('d1')],
]

describe('the routes of the inbox client', () => {
  it.each(CALLS)('%s is called as the schema says', async (route, call, sends) => {
    await withApi(
      (_, response) => json(response, 200, {}),
      async ({ client, calls }) => {
        await call(client())
        const [got] = calls
        expect(calls).toHaveLength(1)
        expect(`${got!.method} ${got!.path}`).toBe(route)
        expect(got!.headers.authorization).toBe('Bearer secret')
        expect(got!.headers['holdpoint-csrf']).toBeUndefined()
        if (sends) sends.parse(got!.method === 'GET' ? got!.query : got!.body)
      },
    )
  })

  it.each(['', '.', '..'])('the id "%s", which would change the path, is refused', async (id) => {
    await withApi(
      (_, response) => json(response, 200, {}),
      async ({ client, calls }) => {
        await expect(client().request(id)).rejects.toMatchObject({ code: 'invalid_options' })
        expect(calls).toEqual([])
      },
    )
  })

  it('reads an export line by line, however it is cut into pieces', async () => {
    await withApi(
      async (_, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        for (const piece of ['{"a":', '1}\n{"a"', ':2}\n', '{"a":3}']) {
          response.write(piece)
          await new Promise((resolve) => setImmediate(resolve))
        }
        response.end()
      },
      async ({ client, calls }) => {
        const lines = []
        for await (const line of client().audit({ thread: 'order-42' })) lines.push(line)
        expect(lines).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
        expect(calls[0]).toMatchObject({ path: '/v1/audit', query: { thread: 'order-42' } })
      },
    )
  })

  it('says that an export broke off instead of ending it early', async () => {
    await withApi(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-length': '1000' })
        response.write('{"a":1}\n', () => response.destroy())
      },
      async ({ client }) => {
        const read = async () => {
          for await (const line of client().audit()) expect(line).toEqual({ a: 1 })
        }
        await expect(read()).rejects.toMatchObject({ name: 'NetworkError' })
      },
    )
  })
})
