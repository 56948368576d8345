import { describe, expect, it } from 'vitest'
import { ApiError, createInboxClient, type InboxClient, NetworkError } from '../../../src/client.ts'
import { type Answer, json, withApi } from './api-server.ts'

const APPROVE = { version: 1, digest: 'd', decision: { type: 'approve' as const } }

/** Fails the first calls in one way, and answers the others. */
function failing(times: number, fail: Answer): Answer {
  let failed = 0
  return (got, response) => (failed++ < times ? fail(got, response) : json(response, 200, { id: 'r1' }))
}

/** The connection breaks before the answer. */
const hangUp: Answer = (_, response) => void response.destroy()

describe('failures of calls to /v1', () => {
  it('a refusal has its code, detail, request and problems', async () => {
    const refusal = { code: 'already_decided', detail: 'ann was first.', request: { id: 'r1' }, problems: ['a: no'] }
    await withApi(
      (_, response) => json(response, 409, refusal),
      async ({ client, calls }) => {
        const error = await client()
          .decide('r1', APPROVE)
          .catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(ApiError)
        expect(error).toMatchObject({ status: 409, ...refusal, message: 'ann was first. (HTTP 409)' })
        expect(calls).toHaveLength(1)
      },
    )
  })

  it('a write is repeated with the same key when the connection breaks', async () => {
    await withApi(failing(2, hangUp), async ({ client, calls }) => {
      await expect(client().decide('r1', APPROVE)).resolves.toEqual({ id: 'r1' })
      const keys = calls.map(({ headers }) => headers['idempotency-key'])
      expect(keys).toHaveLength(3)
      expect(new Set(keys).size).toBe(1)
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    })
  })

  it('each write has its own key, unless one is given', async () => {
    await withApi(failing(0, hangUp), async ({ client, calls }) => {
      const inbox = client()
      await inbox.decide('r1', APPROVE)
      await inbox.decide('r1', APPROVE)
      await inbox.decide('r1', APPROVE, { idempotencyKey: 'mine' })
      const [first, second, third] = calls.map(({ headers }) => headers['idempotency-key'])
      expect(first).not.toBe(second)
      expect(third).toBe('mine')
    })
  })

  it('signing in is sent once: a code must not be spent by a retry', async () => {
    await withApi(failing(9, hangUp), async ({ client, calls }) => {
      await expect(client().signIn({ code: 'c' })).rejects.toBeInstanceOf(NetworkError)
      expect(calls).toHaveLength(1)
    })
  })

  it('writes about webhooks are tried again with the same key', async () => {
    for (const write of [
      (inbox: InboxClient) => inbox.webhooks.add({ url: 'https://example.com' }),
      (inbox: InboxClient) => inbox.webhooks.remove('w1'),
      (inbox: InboxClient) => inbox.webhooks.rotate('w1'),
      (inbox: InboxClient) => inbox.webhooks.test('w1'),
      (inbox: InboxClient) => inbox.webhooks.resend('d1'),
    ])
      await withApi(failing(1, hangUp), async ({ client, calls }) => {
        await write(client())
        const keys = calls.map(({ headers }) => headers['idempotency-key'])
        expect(keys).toHaveLength(2)
        expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
        expect(keys[1]).toBe(keys[0])
      })
  })

  it('gives up after its tries, with what was wrong', async () => {
    await withApi(failing(9, hangUp), async ({ client, calls }) => {
      await expect(client({ tries: 3 }).me()).rejects.toBeInstanceOf(NetworkError)
      expect(calls).toHaveLength(3)
    })
    const closed = createInboxClient({ url: 'http://127.0.0.1:1025', token: 't', tries: 1 })
    await expect(closed.me()).rejects.toThrow('ECONNREFUSED')
  })

  it.each([429, 500, 502, 503, 408])('%i is tried again', async (status) => {
    await withApi(
      failing(1, (_, response) => json(response, status, { code: 'busy', detail: 'Later.' })),
      async ({ client, calls }) => {
        await client().me()
        expect(calls).toHaveLength(2)
      },
    )
  })

  it.each([400, 401, 403, 404, 409, 422])('%i is not tried again', async (status) => {
    await withApi(
      (_, response) => json(response, status, { code: 'no', detail: 'No.' }),
      async ({ client, calls }) => {
        await expect(client().me()).rejects.toMatchObject({ status, code: 'no' })
        expect(calls).toHaveLength(1)
      },
    )
  })

  it('waits as long as Retry-After says, and not at all if that is too long', async () => {
    const busy =
      (seconds: string): Answer =>
      (_, response) => {
        response.setHeader('retry-after', seconds)
        json(response, 429, { code: 'rate_limited', detail: 'Slow down.' })
      }
    await withApi(failing(1, busy('1')), async ({ client, calls }) => {
      const began = Date.now()
      await client().me()
      expect(Date.now() - began).toBeGreaterThanOrEqual(990)
      expect(calls).toHaveLength(2)
    })
    await withApi(failing(1, busy('3600')), async ({ client, calls }) => {
      await expect(client().me()).rejects.toMatchObject({ status: 429, retryAfterMs: 3_600_000 })
      expect(calls).toHaveLength(1)
    })
  })

  it('a response that does not come, or stops half-way, is a NetworkError that says so', async () => {
    await withApi(
      ({ path }, response) => {
        if (path === '/v1/me') return
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"open":')
      },
      async ({ client }) => {
        const hasty = client({ timeoutMs: 50, tries: 1 })
        await expect(hasty.me()).rejects.toMatchObject({ name: 'NetworkError', late: true })
        await expect(hasty.counts()).rejects.toMatchObject({ name: 'NetworkError', late: true })
      },
    )
  })

  it('a page of a proxy is not taken for an answer', async () => {
    await withApi(
      ({ path }, response) => void response.writeHead(path === '/v1/me' ? 200 : 403).end('<h1>Hello</h1>'),
      async ({ client }) => {
        await expect(client().me()).rejects.toMatchObject({ code: 'unexpected_response', status: 200 })
        await expect(client().counts()).rejects.toMatchObject({
          code: 'unexpected_response',
          detail: 'Not the answer of a gateway: check the address, and what is on the way. It says: <h1>Hello</h1>',
        })
      },
    )
  })

  it('ends with the reason of the signal, also between two tries', async () => {
    await withApi(failing(99, hangUp), async ({ client }) => {
      const stop = new AbortController()
      const call = client({ tries: 100, backoff: { initialMs: 60_000 } }).me({ signal: stop.signal })
      setTimeout(() => stop.abort(new Error('enough')), 30)
      await expect(call).rejects.toThrow('enough')
    })
  })

  it('401 tells that the sign-in ended, but not when signing in itself is refused', async () => {
    await withApi(
      (_, response) => json(response, 401, { code: 'unauthorized', detail: 'Sign in.' }),
      async ({ client }) => {
        const ended: ApiError[] = []
        const inbox = client({ onSignedOut: (error) => ended.push(error) })
        await expect(inbox.signIn({ token: 'x' })).rejects.toMatchObject({ status: 401 })
        expect(ended).toEqual([])
        await expect(inbox.me()).rejects.toMatchObject({ status: 401 })
        expect(ended).toMatchObject([{ code: 'unauthorized' }])
      },
    )
  })

  it('a token that can be renewed is asked for once more', async () => {
    await withApi(
      ({ headers }, response) =>
        headers.authorization === 'Bearer 2'
          ? json(response, 200, { id: 'ann' })
          : json(response, 401, { code: 'unauthorized', detail: 'Too old.' }),
      async ({ client }) => {
        const ended: ApiError[] = []
        let count = 0
        const inbox = client({ token: async () => String(++count), onSignedOut: (error) => ended.push(error) })
        await expect(inbox.me()).resolves.toEqual({ id: 'ann' })
        expect(ended).toEqual([])
        await expect(inbox.me()).rejects.toMatchObject({ status: 401 })
        expect(ended).toHaveLength(1)
      },
    )
  })

  it('without a token, writes carry the mark against forged requests, and reads do not', async () => {
    await withApi(failing(0, hangUp), async ({ url, calls }) => {
      const inits: RequestInit[] = []
      const inbox = createInboxClient({
        url,
        fetch: (input, init) => {
          inits.push(init ?? {})
          return fetch(input, init)
        },
      })
      await inbox.me()
      await inbox.claim('r1')
      await inbox.signOut()
      expect(calls.map(({ headers }) => headers['holdpoint-csrf'])).toEqual([undefined, '1', '1'])
      expect(calls.some(({ headers }) => 'authorization' in headers)).toBe(false)
      expect(inits.map(({ credentials }) => credentials)).toEqual(['same-origin', 'same-origin', 'same-origin'])
    })
  })

  it('refuses options that do not exist, and a client outside of a page without an address', () => {
    expect(() => createInboxClient({ ulr: 'x' } as object)).toThrow('no option "ulr"')
    expect(() => createInboxClient()).toThrow('needs a url')
    expect(() => createInboxClient({ url: 'http://x', tries: 0 })).toThrow('tries')
  })
})
