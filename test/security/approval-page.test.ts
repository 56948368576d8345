import { describe, expect, onTestFinished, test } from 'vitest'
import { createCode } from '../../src/gateway/sign-in/codes.ts'
import type { GatewayOptions } from '../../src/gateway.ts'
import { memoryStore, type Store } from '../../src/index.ts'
import { Browser, signedIn } from '../support/gateway/browser-session.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { rawRequest } from '../support/gateway/raw-request.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'

// What an attacker may try against the page where people decide, one test each.

async function start(options: Partial<GatewayOptions> = {}): Promise<{ url: string; store: Store }> {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const { url } = await served({ inbox: true, heartbeatSeconds: 0.05, ...options, store })
  return { url, store }
}

const ann = { sub: 'ann', tenant: 'default', roles: ['reviewer'] }

describe('a forged write (CSRF)', () => {
  /** Writes with a valid cookie, as a page of somebody else could send them. */
  test.each<[string, Record<string, string | undefined>]>([
    ['from a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    [
      'from a page at another port of the same host',
      { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
    ],
    ['from the same host under https', { origin: 'https://127.0.0.1' }],
    ['from a sandboxed frame', { origin: 'null' }],
    ['that hides its origin', { origin: undefined }],
    ['by a form, which cannot set headers', { 'holdpoint-csrf': undefined, 'content-type': 'text/plain' }],
    ['with another value of the header', { 'holdpoint-csrf': 'true' }],
    ['that the browser marks as foreign', { 'sec-fetch-site': 'cross-site' }],
    ['under another scheme', { origin: 'file://' }],
  ])('%s is refused, and the session goes on', async (_, headers) => {
    const { url, store } = await start()
    const browser = await signedIn(url, store)
    const forged = await browser.call('DELETE', '/v1/session', { headers })
    expect([forged.status, ((await forged.json()) as { code: string }).code]).toEqual([403, 'forged'])
    expect(forged.headers.get('set-cookie')).toBeNull()
    expect((await browser.call('GET', '/v1/sessions')).status).toBe(200)
  })

  test('cannot use a cookie for a read across origins either, although it changes nothing', async () => {
    const { url, store } = await start({ cors: { origins: ['https://app.example.com'] } })
    const browser = await signedIn(url, store)
    const read = await browser.call('GET', '/v1/sessions', { headers: { origin: 'https://app.example.com' } })
    expect(read.status).toBe(403)
    expect(read.headers.get('access-control-allow-credentials')).toBeNull()
    const bearer = {
      origin: 'https://app.example.com',
      cookie: undefined,
      authorization: `Bearer ${await tokenOf('ann')}`,
    }
    const allowed = await browser.call('GET', '/v1/sessions', { headers: bearer })
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://app.example.com',
    ])
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('cannot go through an auth of the application that reads cookies', async () => {
    const auth = {
      authenticate: async ({ header }: { header(name: string): string | undefined }) =>
        header('cookie')?.includes('app=ok')
          ? { ok: true as const, caller: { sub: 'ann', tenant: 'default', roles: ['admin'], groups: [] } }
          : { ok: false as const, detail: 'no' },
    }
    const { url } = await start({ auth })
    const browser = new Browser(url)
    const call = async (headers: Record<string, string | undefined>) =>
      (await browser.call('DELETE', '/v1/session', { headers: { cookie: 'app=ok', ...headers } })).status
    expect(await call({})).toBe(204)
    expect(await call({ origin: 'https://evil.example' })).toBe(403)
    expect(await call({ 'holdpoint-csrf': undefined })).toBe(403)
  })
})

describe('a forged sign-in (login CSRF)', () => {
  test.each<[string, Record<string, string | undefined>]>([
    ['from another origin', { origin: 'https://evil.example' }],
    ['by a form', { 'holdpoint-csrf': undefined, 'content-type': 'text/plain' }],
    ['that the browser marks as foreign', { 'sec-fetch-site': 'same-site' }],
  ])('%s signs a victim in as nobody, and spends no code', async (_, headers) => {
    const { url, store } = await start()
    const code = await createCode(store, ann)
    const forged = await new Browser(url).call('POST', '/v1/session', { body: { code }, headers })
    expect([forged.status, forged.headers.get('set-cookie')]).toEqual([403, null])
    expect((await new Browser(url).signIn({ code })).status).toBe(200)
  })
})

describe('a stolen or altered cookie', () => {
  test('does not name another tenant: a session belongs to the tenant that it was made in', async () => {
    const { url, store } = await start()
    const browser = await signedIn(url, store)
    const acme = Buffer.from('acme').toString('base64url')
    const cookie = browser.cookie?.replace(/=[^.]+\./, `=${acme}.`)
    expect((await browser.call('GET', '/v1/sessions', { headers: { cookie } })).status).toBe(401)
  })

  test.each(['..', '__proto__', 'constructor', '\u0000', 'a/../b', "' OR 1=1 --", 'x'.repeat(250)])(
    'with a hostile tenant is refused like any other: %j',
    async (tenant) => {
      const { url } = await start()
      const value = `${Buffer.from(tenant).toString('base64url')}.${'A'.repeat(43)}`
      const cookie = `holdpoint_${new URL(url).port}=${value}`
      expect((await new Browser(url).call('GET', '/v1/sessions', { headers: { cookie } })).status).toBe(401)
    },
  )

  test('is worth nothing in the store: only its hash is there', async () => {
    const { url, store } = await start()
    const browser = await signedIn(url, store)
    const secret = browser.cookie?.split('.')[1] ?? ''
    const { records } = await store.findRecords({ kind: 'session' })
    expect(records).toHaveLength(1)
    expect(JSON.stringify(records)).not.toContain(secret)
  })

  test('ends the live stream that it opened as soon as it is revoked', async () => {
    const { url, store } = await start()
    const browser = await signedIn(url, store)
    const { response, seen } = await openEvents(url, undefined, { headers: { cookie: browser.cookie ?? '' } })
    expect(response.status).toBe(200)
    await until(() => seen.lastId !== undefined)
    await browser.call('DELETE', '/v1/session')
    await until(() => seen.ended)
  })
})

describe('the page', () => {
  test('cannot be framed (clickjacking), and neither can a refusal', async () => {
    const { url } = await start()
    for (const [path, status] of [
      ['/', 200],
      ['/nowhere', 404],
      ['/v1/sessions', 401],
    ] as const) {
      const response = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })
      expect(response.status).toBe(status)
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })

  test('repeats nothing of a request in an error page', async () => {
    const { url } = await start()
    const path = '/%3Cscript%3Ealert(1)%3C/script%3E?q=%3Cimg%20src=x%3E'
    const answer = await rawRequest(url, { path, headers: { accept: 'text/html' } })
    expect(answer.status).toBe(404)
    expect(answer.body).not.toMatch(/alert|img/)
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'/)
  })

  test('leads nowhere else: no address makes it redirect to another host', async () => {
    const { url } = await start({ basePath: '/review' })
    for (const path of [
      '/review',
      '//evil.example',
      '//evil.example/review',
      '/review//evil.example',
      '/\\evil.example',
    ]) {
      const { headers } = await rawRequest(url, { path, headers: { host: new URL(url).host } })
      expect(headers.location ?? '/review/').toBe('/review/')
    }
  })
})

describe('a link', () => {
  test('carries no authority over a request: it signs in whom it was made for, with what that person may do', async () => {
    const { url, store } = await start()
    const browser = await signedIn(url, store, { sub: 'eve', roles: [] })
    const list = await browser.call('GET', '/v1/sessions')
    expect(((await list.json()) as { sessions: { person: string; roles: string[] }[] }).sessions).toMatchObject([
      { person: 'eve', roles: [] },
    ])
  })

  test('leaves no code, cookie or token in the log', async () => {
    const lines: string[] = []
    const note = (fields: object, message: string) => void lines.push(JSON.stringify([fields, message]))
    const { url, store } = await start({ logger: { info: note, warn: note, error: note } })
    const code = await createCode(store, ann)
    const browser = new Browser(url)
    await browser.signIn({ code })
    await browser.signIn({ code })
    const token = await tokenOf('bea')
    await new Browser(url).signIn({ token })
    await browser.call('GET', '/v1/sessions')
    expect(lines.length).toBeGreaterThan(3)
    for (const secret of [code.split('.')[1] ?? '', browser.cookie?.split('.')[1] ?? '', token])
      expect(lines.join('\n')).not.toContain(secret)
  })

  test('of an agent opens nothing: agents cannot become people', async () => {
    const { url, store } = await start()
    const browser = new Browser(url)
    await browser.signIn({ code: await createCode(store, { ...ann, roles: ['agent', 'admin'] }) })
    expect((await browser.call('GET', '/v1/sessions')).status).toBe(403)
  })
})
