import { request } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/index.ts'
import { memoryStreams } from '../../src/streams/memory/streams.ts'
import { post, served, sessionOf, tokenOf } from '../support/gateway/served-gateway.ts'
import { note, question } from '../support/gateway/stream-messages.ts'
import { until } from '../support/until.ts'

/** What the doors may say to nonsense. */
const CALM = [200, 204, 400, 404]

async function expectCalm(response: Response, allowed = CALM): Promise<void> {
  const text = await response.text()
  expect(allowed, `${response.status} ${text.slice(0, 300)}`).toContain(response.status)
  if (response.status >= 400) {
    const body = JSON.parse(text)
    expect(Object.keys(body)).toEqual(['detail'])
    expect(body.detail).toBeTypeOf('string')
  }
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
}

/** A session of ann with one open question, and a raw way to send bodies to it. */
async function target(options: Parameters<typeof served>[0] = {}) {
  const all = await served({ store: memoryStore(), maxPollSeconds: 0.01, ...options })
  const session = await sessionOf(all.streams, 'ann')
  const asked = question()
  await all.streams.send(session, asked)
  const token = await tokenOf('ann')
  const send = (path: string, body: string | Uint8Array<ArrayBuffer>) =>
    fetch(`${all.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body })
  return { ...all, session, asked, token, send }
}

/** Sends raw bytes and gives all that comes back until the other side closes. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}

const paths = fc.constantFrom('/hil/poll', '/hil/respond')

describe('bodies from hostile clients', () => {
  it('of any JSON are refused calmly', async () => {
    const { send, session, asked } = await target()
    const hostile = fc.oneof(
      fc.json(),
      fc
        .record(
          {
            session_task_id: fc.oneof(fc.constant(session), fc.uuid(), fc.string(), fc.jsonValue()),
            timeout: fc.oneof(fc.constant(0), fc.constantFrom(-1, 0.5, -0, '0', null, Number.MIN_SAFE_INTEGER)),
            redis_last_id: fc.oneof(
              fc.constant('0'),
              fc.stringMatching(/^\d{1,22}(-\d{0,22})?$/),
              fc.string(),
              fc.jsonValue(),
            ),
            hil_msg_id: fc.oneof(fc.constant(asked.msg_id), fc.string({ unit: 'binary' }), fc.jsonValue()),
            msg: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
            [fc.sample(fc.constantFrom('__proto__', 'constructor', 'toString'), 1)[0]!]: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
    )
    await fc.assert(
      fc.asyncProperty(paths, hostile, async (path, body) => expectCalm(await send(path, body))),
      { numRuns: 120 },
    )
  })

  it('of any bytes are refused calmly', async () => {
    const { send } = await target()
    await fc.assert(
      fc.asyncProperty(paths, fc.uint8Array({ maxLength: 200 }), async (path, bytes) =>
        expectCalm(await send(path, new Uint8Array(bytes)), [400]),
      ),
      { numRuns: 100 },
    )
  })

  it('with prototype keys are data, and stay it', async () => {
    const { send, session, asked, streams } = await target()
    const msg = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}'
    const ids = `"session_task_id":"${session}","hil_msg_id":"${asked.msg_id}"`
    const response = await send('/hil/respond', `{"__proto__":{"polluted":1},${ids},"msg":${msg}}`)
    expect(response.status).toBe(200)
    const taken = await streams.takeReply(session, asked.msg_id, { waitMs: 0 })
    expect(JSON.stringify(taken.kind === 'reply' && taken.reply)).toBe(msg)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    await expectCalm(await send('/hil/poll', `{"__proto__":{"session_task_id":"${session}"}}`), [400])
  })

  it('that say a thing twice mean the last, in what is checked as in what is done', async () => {
    const { send, session, streams } = await target()
    const foreign = await sessionOf(streams, 'bob')
    await streams.send(foreign, note('of bob'))
    const twice = (a: string, b: string) => `{"session_task_id":"${a}","session_task_id":"${b}","timeout":0}`
    expect((await send('/hil/poll', twice(session, foreign))).status).toBe(404)
    expect((await send('/hil/poll', twice(foreign, session))).status).toBe(200)
  })

  it('nested too deep are refused', async () => {
    const { send, session, asked, streams } = await target()
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    for (const levels of [201, 5000, 150_000]) {
      const body = `{"session_task_id":"${session}","hil_msg_id":"${asked.msg_id}","msg":${deep(levels)}}`
      await expectCalm(await send('/hil/respond', body), [400])
    }
    await expectCalm(await send('/hil/poll', '['.repeat(500_000)), [400])
    expect(await streams.pending(session)).toMatchObject({ kind: 'messages' })
    const shallow = `{"session_task_id":"${session}","hil_msg_id":"${asked.msg_id}","msg":${deep(50)}}`
    expect((await send('/hil/respond', shallow)).status).toBe(200)
  })

  it('too long are refused, whether they say so or not', async () => {
    const { url, server, token, session } = await target({ maxBodyBytes: 10_000 })
    const long = JSON.stringify({ session_task_id: session, hil_msg_id: 'x', msg: 'x'.repeat(20_000) })
    const told = await post(url, '/hil/respond', { token, body: long })
    await expectCalm(told, [400])
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const chunked = request(`${url}/hil/respond`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
      chunked.on('response', (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      chunked.on('error', reject)
      chunked.write(long)
      chunked.end()
    })
    expect(status).toBe(400)
    const huge = 'content-length: 99999999999999999999999'
    const answer = await raw(
      server.port,
      `POST /hil/poll HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${huge}\r\n\r\n{}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('that do not arrive are not waited for', async () => {
    const { url, token } = await target({ bodyTimeoutSeconds: 0.05 })
    const slow = request(`${url}/hil/poll`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-length': '1000' },
    })
    const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      slow.on('response', async (response) => {
        let text = ''
        for await (const chunk of response) text += String(chunk)
        resolve({ status: response.statusCode, text })
      })
      slow.on('error', reject)
    })
    slow.write('{"session_task_id":')
    const { status, text } = await answered
    expect(status).toBe(400)
    expect(JSON.parse(text)).toEqual({ detail: expect.stringContaining('in time') })
    slow.destroy()
  })

  it('are not even read without a token', async () => {
    const { url } = await target()
    const stuck = request(`${url}/hil/respond`, { method: 'POST', headers: { 'content-length': '1000000' } })
    const status = await new Promise((resolve, reject) => {
      stuck.on('response', (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      stuck.on('error', reject)
      stuck.write('{')
    })
    expect(status).toBe(401)
    stuck.destroy()
  })
})

describe('requests from hostile clients', () => {
  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'by %s where another method is due do nothing',
    async (method) => {
      const { url, token, streams, session } = await target()
      for (const path of ['/hil/poll', '/hil/respond']) {
        const response = await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${token}` } })
        expect(response.status).toBe(method === 'OPTIONS' ? 204 : 405)
        expect(response.headers.get('allow')).toContain('POST')
      }
      const strange = await raw(new URL(url).port as unknown as number, 'BREW /hil/poll HTTP/1.1\r\nhost: x\r\n\r\n')
      expect(strange).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(await streams.pending(session)).toMatchObject({ kind: 'messages' })
    },
  )

  it('that are no HTTP, or only almost, are refused in the same form', async () => {
    const { server } = await target()
    const broken = [
      'hello\r\n\r\n',
      'POST /hil/poll HTTP/1.1\r\nconnection: close\r\n\r\n',
      'POST http:// HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      'GET /%00 HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n',
      `GET /healthz HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`,
      'POST /hil/poll HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n',
    ]
    for (const text of broken) {
      const answer = await raw(server.port, text)
      expect(answer, text.slice(0, 60)).toMatch(/^HTTP\/1\.1 4\d\d /)
      const [, body = ''] = answer.split('\r\n\r\n')
      expect(JSON.parse(body)).toEqual({ detail: expect.any(String) })
    }
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })

  it('to any path, with any query and headers, are answered calmly', async () => {
    const { url, token, session } = await target()
    const word = fc.string({ minLength: 1, maxLength: 20 }).map(encodeURIComponent)
    const path = fc.oneof(
      fc.array(word, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
      fc.tuple(word, word).map(([a, b]) => `/hil/events?session_task_id=${a}&redis_last_id=${b}`),
      word.map((value) => `/hil/events?session_task_id=${session}&redis_last_id=x${value}`),
      fc.constantFrom('/hil/poll/', '//hil/poll', '/hil/%70oll/..', '/hil/./poll/x', '/HIL/POLL', '/hil/poll%00'),
    )
    const header = fc.string({ maxLength: 50 }).map((value) => value.replace(/[^\x20-\x7e]/g, '?'))
    await fc.assert(
      fc.asyncProperty(path, header, header, async (target, position, id) => {
        const headers = { authorization: `Bearer ${token}`, 'last-event-id': `x${position}`, 'x-request-id': id }
        const response = await fetch(`${url}${target}`, { headers })
        await expectCalm(response, [200, 400, 404, 405])
      }),
      { numRuns: 100 },
    )
  })

  it('with any Authorization are nobody', async () => {
    const { url, token, session, streams } = await target()
    const body = { session_task_id: session, timeout: 0 }
    const noise = fc.string({ maxLength: 60 }).map((value) => value.replace(/[^\x20-\x7e]/g, '.'))
    const [header, payload, signature] = token.split('.') as [string, string, string]
    const mutated = fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...'aZ09-_.')).map(([at, char]) => {
      // The last character holds bits that are not part of the signature.
      const place = Math.min(at, token.length - 2)
      return token[place] === char ? `${token}x` : `${token.slice(0, place)}${char}${token.slice(place + 1)}`
    })
    const authorization = fc.oneof(
      noise,
      noise.map((text) => `Bearer ${text}`),
      mutated.map((text) => `Bearer ${text}`),
      fc.constantFrom(
        `Basic ${token}`,
        `Bearer ${payload}.${header}.${signature}`,
        `Bearer ${token},${token}`,
        `Bearer ${token} ${token}`,
        `Bearer "${token}"`,
      ),
    )
    await fc.assert(
      fc.asyncProperty(authorization, async (value) => {
        const response = await post(url, '/hil/poll', { body, headers: { authorization: value } })
        await expectCalm(response, [401])
        expect(response.headers.get('www-authenticate')).toBe('Bearer')
      }),
      { numRuns: 100 },
    )
    expect(await streams.pending(session)).toMatchObject({ kind: 'messages' })
  })

  it('that leave in the middle leave nothing behind', async () => {
    const streams = memoryStreams()
    const { url, server } = await served({ streams, maxWaitsPerCaller: 5 })
    const token = await tokenOf('ann')
    const session = await sessionOf(streams, 'ann')
    const body = JSON.stringify({ session_task_id: session, timeout: 60 })
    const head = `POST /hil/poll HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`
    for (let i = 0; i < 30; i++) {
      const socket = connect(server.port, '127.0.0.1')
      const length = i % 2 === 0 ? body.length : body.length + 10
      socket.write(`${head}content-length: ${length}\r\n\r\n${body}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
      socket.destroy()
    }
    await until(async () => {
      const once = await Promise.all(
        Array.from({ length: 5 }, () =>
          post(url, '/hil/poll', { token, body: { session_task_id: session, timeout: 1 } }),
        ),
      )
      return once.every(({ status }) => status === 204)
    })
  })
})
