import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { Hono } from 'hono'
import { type Logger, pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions, jwtAuth, serve } from '../../src/gateway.ts'
import { memoryStore } from '../../src/index.ts'
import type { Streams } from '../../src/ports/streams.ts'
import { memoryStreams } from '../../src/streams/memory/streams.ts'
import { post, SECRET, served, sessionOf, tokenOf } from '../support/gateway/served-gateway.ts'
import { note, question } from '../support/gateway/stream-messages.ts'
import { until } from '../support/until.ts'
import { watched } from './streams/watched-streams.ts'

const auth = jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' })

function lines(): { logger: Logger; all: () => Record<string, unknown>[]; text: () => string } {
  let text = ''
  const to = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      done()
    },
  })
  const all = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { logger: pino(to), all, text: () => text }
}

describe('a gateway', () => {
  it('is a fetch handler', async () => {
    const gateway = createGateway({ streams: memoryStreams(), auth })
    const response = await gateway.fetch(new Request('http://localhost/healthz'))
    expect(await response.json()).toEqual({ status: 'ok' })
  })

  it('can be mounted below a path of another application, or have a base path of its own', async () => {
    const streams = memoryStreams()
    const session = await sessionOf(streams, 'ann')
    await streams.send(session, note('hello'))
    const headers = { authorization: `Bearer ${await tokenOf('ann')}` }
    const asked = { method: 'POST', headers, body: JSON.stringify({ session_task_id: session }) }
    const outer = new Hono().route('/api', createGateway({ streams, auth })).get('/own', (c) => c.text('mine'))
    expect((await outer.request('/api/hil/poll', asked)).status).toBe(200)
    expect((await outer.request('/hil/poll', asked)).status).toBe(404)
    expect(await (await outer.request('/own')).text()).toBe('mine')
    const based = await served({ streams, basePath: '/deep/er' })
    expect(based.url).toMatch(/\/deep\/er$/)
    expect((await fetch(`${based.url}/hil/poll`, asked)).status).toBe(200)
    const { origin } = new URL(based.url)
    const elsewhere = await fetch(`${origin}/hil/poll`, asked)
    expect(elsewhere.status).toBe(404)
    expect(await elsewhere.json()).toEqual({ detail: expect.any(String) })
  })

  it('has no /hil without streams', async () => {
    const gateway = createGateway({ store: memoryStore(), auth })
    expect((await gateway.request('/hil/poll', { method: 'POST' })).status).toBe(404)
    expect(await (await gateway.request('/readyz')).json()).toEqual({ status: 'ok', checks: { store: 'ok' } })
    const { paths } = (await (await gateway.request('/openapi.json')).json()) as { paths: object }
    expect(Object.keys(paths).filter((path) => path.startsWith('/hil'))).toEqual([])
  })

  it('reports that it runs, and whether it is ready', async () => {
    const streams = memoryStreams()
    const store = memoryStore()
    const { url } = await served({ streams, store })
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
    const ready = await fetch(`${url}/readyz`)
    expect(ready.status).toBe(200)
    expect(await ready.json()).toEqual({ status: 'ok', checks: { streams: 'ok', store: 'ok' } })
    await streams.shutdown()
    await until(async () => (await fetch(`${url}/readyz`)).status === 503)
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
      status: 'unavailable',
      checks: { streams: 'failed', store: 'ok' },
    })
  })

  it('answers HEAD only where every caller gets the same answer', async () => {
    const { url } = await served()
    for (const path of ['/healthz', '/readyz', '/openapi.json']) {
      const response = await fetch(`${url}${path}`, { method: 'HEAD' })
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('')
    }
    for (const path of ['/hil/poll', '/hil/events'])
      expect((await fetch(`${url}${path}`, { method: 'HEAD' })).status).toBe(405)
  })

  it('answers 503 while a backend is away, and tells the cause to the log alone', async () => {
    const away = { ...memoryStreams(), describe: () => Promise.reject(new Error('secret cause')) }
    const bind: Streams = { ...away, tenant: () => bind }
    const { logger, text } = lines()
    const { url, server } = await served({ streams: bind, logger })
    const body = { session_task_id: crypto.randomUUID() }
    const response = await post(url, '/hil/poll', { token: await tokenOf('ann'), body })
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret cause')
    expect(text()).toContain('secret cause')
    const noAuth = await served({ auth: { authenticate: () => Promise.reject(new Error('no keys')) } })
    const refused = await post(noAuth.url, '/hil/poll', { token: 'x', body })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    await server.close()
  })

  it('describes itself from its schemas', async () => {
    const { url } = await served({ basePath: '/api' })
    const description = JSON.parse(await (await fetch(`${url}/openapi.json`)).text())
    expect(description.openapi).toBe('3.1.0')
    expect(description.servers).toEqual([{ url: '/api' }])
    const { schema } = description.paths['/hil/poll'].post.requestBody.content['application/json']
    expect(schema.required).toEqual(['session_task_id'])
    expect(schema.properties.timeout).toMatchObject({ type: 'integer', minimum: 0, default: 30 })
    const answer = description.paths['/hil/respond'].post.requestBody.content['application/json'].schema
    expect(answer.properties.msg).toEqual({ type: ['string', 'object'] })
    const statuses = Object.keys(description.paths['/hil/respond'].post.responses)
    expect(statuses).toEqual(['200', '400', '401', '403', '404', '429', '500', '503'])
  })

  it('describes every path that it serves, with its method, and no other', async () => {
    const gateway = createGateway({ streams: memoryStreams(), store: memoryStore(), auth })
    const served = [...new Set(gateway.routes.map(({ path }) => path.replace(/:([A-Za-z]+)/g, '{$1}')))]
    expect(served).toContain('/hil/poll')
    type Paths = Record<string, Record<string, { security?: [] }>>
    const { paths } = (await (await gateway.request('/openapi.json')).json()) as { paths: Paths }
    // The description does not describe itself.
    expect(Object.keys(paths).sort()).toEqual(served.filter((path) => path !== '/openapi.json').sort())
    for (const [path, methods] of Object.entries(paths)) {
      const { headers } = await gateway.request(path, { method: 'PATCH' })
      expect([path, headers.get('allow')]).toEqual([path, Object.keys(methods).join(', ').toUpperCase()])
      for (const [method, { security }] of Object.entries(methods)) {
        const { status } = await gateway.request(path, { method: method.toUpperCase() })
        expect([path, status === 401 ? 'needs a token' : 'is public']).toEqual([
          path,
          security ? 'is public' : 'needs a token',
        ])
      }
    }
  })

  it('has a row in the reference for every path', () => {
    const page = readFileSync(new URL('../../docs/reference/http.md', import.meta.url), 'utf8')
    for (const { path } of createGateway({ streams: memoryStreams(), store: memoryStore(), auth }).routes)
      expect(page).toMatch(new RegExp(`^\\|.*\`${path}\`.*\\|$`, 'm'))
  })

  it('logs requests with an id, and never tokens, questions or answers', async () => {
    const { logger, all, text } = lines()
    const { url, streams } = await served({ logger, store: memoryStore() })
    const session = await sessionOf(streams, 'ann')
    const asked = question({ secret: 'the question' })
    await streams.send(session, asked)
    const token = await tokenOf('ann')
    const polled = await post(url, '/hil/poll', {
      token,
      body: { session_task_id: session },
      headers: { 'x-request-id': 'abc-1' },
    })
    expect(polled.headers.get('x-request-id')).toBe('abc-1')
    const answer = { session_task_id: session, hil_msg_id: asked.msg_id, msg: 'the answer' }
    const responded = await post(url, '/hil/respond', { token, body: answer, headers: { 'x-request-id': 'bad id\t' } })
    expect(responded.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}-\d+$/)
    await post(url, '/hil/poll', { token: 'stolen', body: {} })
    const requests = all().filter(({ msg }) => msg === 'request')
    expect(requests[0]).toMatchObject({
      requestId: 'abc-1',
      method: 'POST',
      path: '/hil/poll',
      status: 200,
      sub: 'ann',
      tenant: 'default',
    })
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 401])
    for (const secret of [token, 'stolen', 'the question', 'the answer']) expect(text()).not.toContain(secret)
  })

  it('sends headers that keep browsers and caches out, on every answer', async () => {
    const { url } = await served()
    for (const path of ['/hil/poll', '/healthz', '/nowhere', '/openapi.json']) {
      const { headers } = await fetch(`${url}${path}`)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('lets pages of named origins in, and no others', async () => {
    const { url } = await served({ cors: { origins: ['https://inbox.example.com'] } })
    const ask = (origin: string, method: string) => fetch(`${url}/hil/poll`, { method, headers: { origin } })
    const preflight = await ask('https://inbox.example.com', 'OPTIONS')
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://inbox.example.com')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
    expect((await ask('https://inbox.example.com', 'POST')).headers.get('access-control-allow-origin')).not.toBeNull()
    for (const origin of ['https://evil.example.com', 'null', 'https://inbox.example.com.evil.org'])
      expect((await ask(origin, 'OPTIONS')).headers.get('access-control-allow-origin')).toBeNull()
  })

  it.each<[string, Partial<GatewayOptions>]>([
    ['an unknown option', { timeout: 5 } as never],
    ['an unknown option of the WebSocket', { websocket: { ping: 1 } as never }],
    ['no auth', { auth: undefined as never }],
    ['neither streams nor store', { streams: undefined as never }],
    ['streams that are none', { streams: {} as never }],
    ['agents that are none', { agents: [{ name: 'x' }] as never }],
    ['an undo window that is none', { undoSeconds: -1 }],
    ['a base path that is none', { basePath: 'api' }],
    ['no time at all', { maxPollSeconds: 0 }],
    ['half a place', { maxWaits: 0.5 }],
    ['origins that are no list', { cors: { origins: '*' as never } }],
  ])('refuses %s', (_, options) => {
    expect(() => createGateway({ streams: memoryStreams(), auth, ...options })).toThrow(
      expect.objectContaining({ code: 'input_invalid' }),
    )
  })
})

describe('a server', () => {
  it('closes by answering polls that wait, ending event streams, and taking no more', async () => {
    const { streams, waiting } = watched(memoryStreams())
    const { url, server } = await served({ streams }, { graceSeconds: 20 })
    const token = await tokenOf('ann')
    const session = await sessionOf(streams, 'ann')
    const polls = [1, 2, 3].map(() =>
      post(url, '/hil/poll', { token, body: { session_task_id: session, timeout: 60 } }),
    )
    const events = await fetch(`${url}/hil/events?session_task_id=${session}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const text = events.text()
    // Browsers keep connections in store that never sent anything.
    const idle = connect(server.port, '127.0.0.1')
    const idleClosed = new Promise((resolve) => idle.on('close', resolve))
    await new Promise((resolve) => idle.on('connect', resolve))
    await until(() => waiting() === 4)
    await server.close()
    for (const response of await Promise.all(polls)) expect(response.status).toBe(204)
    expect(await text).toBe(': open\nretry: 1000\n\nevent: open\ndata: {"open":[]}\n\n')
    await idleClosed
    await expect(post(url, '/hil/poll', { token, body: { session_task_id: session } })).rejects.toThrow()
    await server.close()
  })

  it('refuses to wait in a gateway that has stopped', async () => {
    const streams = memoryStreams()
    const gateway = createGateway({ streams, auth })
    await using server = await serve(gateway)
    const session = await sessionOf(streams, 'ann')
    gateway.stop()
    const response = await post(server.url, '/hil/poll', {
      token: await tokenOf('ann'),
      body: { session_task_id: session },
    })
    expect(response.status).toBe(204)
    const ready = await fetch(`${server.url}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ status: 'stopping' })
  })

  it('ends requests that outlast the grace period', async () => {
    const { url, server } = await served({ bodyTimeoutSeconds: 60 }, { graceSeconds: 0.05 })
    const stuck = request(`${url}/hil/poll`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf('ann')}`, 'content-length': '100' },
    })
    const failed = new Promise((resolve) => stuck.on('error', resolve))
    stuck.write('{')
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.close()
    expect(await failed).toBeInstanceOf(Error)
  })

  it('reports a port that is in use, and invalid options', async () => {
    const { server, streams } = await served()
    const other = createGateway({ streams, auth })
    await expect(serve(other, { port: server.port })).rejects.toThrow('EADDRINUSE')
    await expect(serve(other, { tls: true } as never)).rejects.toThrow('no option "tls"')
    await expect(serve(new Hono() as never)).rejects.toThrow('createGateway')
  })
})
