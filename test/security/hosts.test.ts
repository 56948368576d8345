import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../src/gateway.ts'
import { memoryStreams } from '../../src/streams/memory/streams.ts'
import { rawRequest } from '../support/gateway/raw-request.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'

const auth = { authenticate: async () => ({ ok: false as const, detail: 'nobody' }) }

describe('a name that was made to resolve to this machine (DNS rebinding)', () => {
  const foreign = { host: 'evil.example:80', origin: 'http://evil.example', accept: 'text/html' }

  test('reaches neither the page nor an endpoint, with a valid token or without', async () => {
    const { url } = await served({ inbox: true })
    const authorization = `Bearer ${await tokenOf('ann', { roles: ['operator'] })}`
    for (const path of ['/', '/openapi.json', '/hil/inbox/events', '/assets/x.js', '/nowhere']) {
      const answer = await rawRequest(url, { path, headers: { ...foreign, authorization } })
      expect([path, answer.status]).toEqual([path, 403])
      expect(answer.body).not.toContain('evil.example')
      expect(answer.body).toContain('origins')
    }
  })

  test('is told that the process runs, since load balancers know only its address', async () => {
    const { url } = await served()
    for (const path of ['/healthz', '/readyz'])
      expect((await rawRequest(url, { path, headers: { host: '10.1.2.3:8080' } })).status).toBe(200)
  })

  test('opens no WebSocket', async () => {
    const { url } = await served()
    const answer = await upgrade(url, 'evil.example')
    expect(answer).toMatch(/^HTTP\/1\.1 403/)
    expect(await upgrade(url, new URL(url).host)).toMatch(/^HTTP\/1\.1 101/)
  })

  test.each([
    'localhost@evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost:1:2',
    '[::1',
    'a b',
  ])('cannot be dressed up: %j', async (host) => {
    const { url } = await served()
    const { status } = await rawRequest(url, { path: '/openapi.json', headers: { host } })
    expect([400, 403]).toContain(status)
  })
})

describe('the names of a gateway', () => {
  test('are those of this machine unless origins are configured', async () => {
    const { url, server } = await served()
    for (const host of [
      `localhost:${server.port}`,
      `127.0.0.1:${server.port}`,
      'LocalHost:8080',
      `[::1]:${server.port}`,
    ])
      expect((await rawRequest(url, { path: '/openapi.json', headers: { host } })).status).toBe(200)
  })

  test('are the configured origins and nothing else', async () => {
    const { url, server } = await served({ origins: ['https://inbox.example.com', 'http://10.0.0.5:4747/'] })
    const statusFor = async (host: string) =>
      (await rawRequest(url, { path: '/openapi.json', headers: { host } })).status
    expect(await statusFor('inbox.example.com')).toBe(200)
    expect(await statusFor('INBOX.example.com:443')).toBe(200)
    expect(await statusFor('10.0.0.5:4747')).toBe(200)
    expect(await statusFor('10.0.0.5')).toBe(403)
    expect(await statusFor('inbox.example.com:80')).toBe(403)
    expect(await statusFor(`localhost:${server.port}`)).toBe(403)
  })

  test.each([['*'], ['inbox.example.com'], ['https://inbox.example.com/path'], ['ftp://inbox.example.com'], ['null']])(
    'must be origins: %j is refused',
    (origin) => {
      expect(() => createGateway({ auth, streams: memoryStreams(), origins: [origin] })).toThrow(
        /origins must be origins/,
      )
    },
  )
})

/** The first bytes of the answer to an upgrade. */
function upgrade(url: string, host: string): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /hil/ws HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
      ),
    )
    socket.once('data', (data) => {
      resolve(String(data))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}
