import { describe, expect, it } from 'vitest'
import { ClientError, createClient } from '../../src/client.ts'
import { readAll } from '../support/read-all.ts'
import { until } from '../support/until.ts'
import { type Answer, json, pollFrom, withServer } from './fake-gateway.ts'
import { idsOf, note, question } from './wire-messages.ts'

const S = '550e8400-e29b-41d4-a716-446655440000'

describe('messages by polling', () => {
  it('come in order, typed, with their positions, until the stream is gone', () =>
    withServer(pollFrom([question('a'), note('b')]), async ({ client, requests }) => {
      expect(await readAll(client().messages(S))).toEqual([
        { kind: 'interrupt', id: 'a', position: '1', content: question('a').content },
        { kind: 'notification', id: 'b', position: '2', content: { text: 'b' } },
      ])
      expect(requests.map(({ body }) => body.redis_last_id)).toEqual(['0', '1', '2'])
      expect(requests[0]).toMatchObject({ path: '/hil/poll', token: 'Bearer secret', body: { session_task_id: S } })
    }))

  it('begin after a position', () =>
    withServer(pollFrom([question('a'), note('b')]), async ({ client }) => {
      expect(idsOf(await readAll(client().messages(S, { after: '1' })))).toEqual(['b'])
    }))

  it('first ask without waiting, then with the time that was asked for', () => {
    const answers: Answer[] = [(_, r) => json(r, 204), pollFrom([note('a')])]
    return withServer(
      (got, response) => (answers.shift() ?? pollFrom([]))(got, response),
      async ({ client, requests }) => {
        expect(idsOf(await readAll(client({ pollTimeoutSeconds: 7 }).messages(S)))).toEqual(['a'])
        expect(requests.map(({ body }) => body.timeout)).toEqual([0, 7, 7])
      },
    )
  })

  it('pause between polls that bring nothing, when asked to', () => {
    const times: number[] = []
    return withServer(
      (got, response) => {
        times.push(performance.now())
        if (times.length < 4) return json(response, 204)
        return pollFrom([])(got, response)
      },
      async ({ client }) => {
        await readAll(client({ pollTimeoutSeconds: 0, pollIntervalMs: 150 }).messages(S))
        expect(times[3]! - times[2]!).toBeGreaterThan(140)
      },
    )
  })

  it('do not poll in a tight loop when the server does not wait', () => {
    let asked = 0
    return withServer(
      (_, response) => {
        asked += 1
        json(response, 204)
      },
      async ({ client }) => {
        const stop = AbortSignal.timeout(700)
        await readAll(client({ pollTimeoutSeconds: 30 }).messages(S, { signal: stop }))
        expect(asked).toBeLessThanOrEqual(3)
      },
    )
  })

  it.each([
    ['500', (r: Parameters<Answer>[1]) => json(r, 500, { detail: 'oops' })],
    ['503', (r: Parameters<Answer>[1]) => json(r, 503)],
    ['429', (r: Parameters<Answer>[1]) => json(r, 429, { detail: 'slow down' })],
    ['a broken connection', (r: Parameters<Answer>[1]) => r.destroy()],
    [
      'an answer that breaks off',
      (r: Parameters<Answer>[1]) => {
        r.writeHead(200, { 'content-length': '1000' })
        r.write('{"redis')
        setTimeout(() => r.destroy(), 5)
      },
    ],
  ])('go on where they were after %s', (_, fail) => {
    let failures = 3
    return withServer(
      (got, response) => {
        if (got.body.redis_last_id === '1' && failures-- > 0) return fail(response)
        return pollFrom([question('a'), note('b')])(got, response)
      },
      async ({ client, requests }) => {
        expect(idsOf(await readAll(client().messages(S)))).toEqual(['a', 'b'])
        expect(requests.filter(({ body }) => body.redis_last_id === '1')).toHaveLength(4)
      },
    )
  })

  it('wait as long as Retry-After says', () => {
    const times: number[] = []
    return withServer(
      (got, response) => {
        times.push(performance.now())
        if (times.length > 1) return pollFrom([])(got, response)
        response.writeHead(429, { 'retry-after': '1' })
        response.end()
      },
      async ({ client }) => {
        await readAll(client().messages(S))
        expect(times[1]! - times[0]!).toBeGreaterThan(990)
      },
    )
  })

  it('time out when no answer comes, and poll again', () => {
    let asked = 0
    return withServer(
      (got, response) => {
        asked += 1
        return asked > 1 ? pollFrom([])(got, response) : undefined
      },
      async ({ client }) => {
        await readAll(client({ requestTimeoutMs: 400 }).messages(S))
        expect(asked).toBeGreaterThanOrEqual(2)
      },
    )
  })

  it.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [418, 'refused'],
  ] as const)('throw a typed error for %i', (status, code) =>
    withServer(
      (_, response) => json(response, status, { detail: 'because' }),
      async ({ client, requests }) => {
        const error = await readAll(client().messages(S)).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(ClientError)
        expect(error).toMatchObject({ name: 'ClientError', code, status, detail: 'because' })
        expect(requests).toHaveLength(1)
      },
    ),
  )

  it("throw a typed error for a response that is not a gateway's", () =>
    withServer(
      (_, response) => {
        response.end('<html>')
      },
      async ({ client }) => {
        await expect(readAll(client().messages(S))).rejects.toMatchObject({ code: 'invalid_response' })
      },
    ))

  it('end quietly when the signal fires, in the middle of a poll', () =>
    withServer(
      () => undefined,
      async ({ client, requests }) => {
        const stop = new AbortController()
        const all = readAll(client().messages(S, { signal: stop.signal }))
        await until(() => requests.length > 0)
        stop.abort()
        expect(await all).toEqual([])
      },
    ))

  it('end quietly when the signal fires before a retry', () =>
    withServer(
      (_, response) => json(response, 500),
      async ({ client, requests }) => {
        const stop = new AbortController()
        const all = readAll(client({ backoff: { initialMs: 60_000 } }).messages(S, { signal: stop.signal }))
        await until(() => requests.length > 0)
        stop.abort()
        expect(await all).toEqual([])
      },
    ))
})

describe('the token', () => {
  it('is refreshed when it was refused, once for each request', () => {
    const valid = new Set(['t2', 't3'])
    let asked = 0
    return withServer(
      (got, response) => {
        const token = got.token?.replace('Bearer ', '') ?? ''
        if (!valid.has(token)) return json(response, 401, { detail: 'too old' })
        return pollFrom([note('a')])(got, response)
      },
      async ({ client, requests }) => {
        const token = async () => `t${++asked}`
        expect(idsOf(await readAll(client({ token }).messages(S)))).toEqual(['a'])
        expect(requests.map((got) => got.token)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3'])
        valid.clear()
        await expect(readAll(client({ token }).messages(S))).rejects.toMatchObject({
          code: 'unauthorized',
          status: 401,
        })
        expect(asked).toBe(5)
      },
    )
  })
})

describe('options', () => {
  it.each([
    [{ ulr: 'x' }],
    [{ url: 'x', token: 't', transport: 'carrier-pigeon' }],
    [{ url: 'x', token: 't', pollIntervalMs: -1 }],
    [{ url: 'x', token: 't', backoff: { initial: 1 } }],
    [{ token: 't' }],
  ])('that do not exist or cannot work are refused: %j', (options) => {
    expect(() => createClient(options as never)).toThrow(ClientError)
  })
})
