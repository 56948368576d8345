import { describe, expect, onTestFinished, test } from 'vitest'
import { CODE_MS, createCode, signInLink } from '../../src/gateway/sign-in/codes.ts'
import { newSession, SESSION_MS, sessionIdOf } from '../../src/gateway/sign-in/session-records.ts'
import { createGateway, type GatewayOptions, serve } from '../../src/gateway.ts'
import { memoryStore, type Store } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { Browser, signedIn } from '../support/gateway/browser-session.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { inFolder, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'

const places = usePlaces()
const ann = { sub: 'ann', tenant: 'default', roles: ['reviewer'], groups: ['finance'] }

/** A gateway on a memory store, unless it is given another. */
async function start(options: Partial<GatewayOptions> = {}): Promise<{ url: string; store: Store }> {
  const store = options.store ?? memoryStore()
  if (!options.store) onTestFinished(() => store.close())
  const { url } = await served({ inbox: true, ...options, store })
  return { url, store }
}

const sessionId = (browser: Browser) => sessionIdOf(browser.cookie?.split('.')[1] ?? '')

describe('signing in', () => {
  test('exchanges a one-time code for a cookie that scripts cannot read', async () => {
    const { url, store } = await start()
    const browser = new Browser(url)
    const response = await browser.signIn({ code: await createCode(store, ann) })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      id: 'ann',
      tenant: 'default',
      roles: ['reviewer'],
      groups: ['finance'],
    })
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      new RegExp(
        `^holdpoint_${new URL(url).port}=ZGVmYXVsdA\\.[0-9a-f]{32}-[\\w-]{43}; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict$`,
      ),
    )
    expect((await browser.call('GET', '/v1/sessions')).status).toBe(200)
  })

  test('a code signs in once', async () => {
    const { url, store } = await start()
    const code = await createCode(store, ann)
    expect((await new Browser(url).signIn({ code })).status).toBe(200)
    const again = await new Browser(url).signIn({ code })
    expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null])
  })

  test('opening the link spends nothing: the code is in the fragment', async () => {
    const { url, store } = await start()
    const link = signInLink(url, await createCode(store, ann))
    const { hash, search, pathname } = new URL(link)
    expect([pathname, search]).toEqual(['/', ''])
    for (let times = 0; times < 3; times++) expect((await fetch(link)).status).toBe(200)
    const signed = await new Browser(url).signIn({ code: hash.replace('#code=', '') })
    expect(signed.status).toBe(200)
  })

  test('a code expires after ten minutes, by the clock of the store', async () => {
    const clock = fakeClock(Date.now())
    const store = memoryStore({ clock })
    onTestFinished(() => store.close())
    const { url } = await start({ store })
    const [late, inTime] = [await createCode(store, ann), await createCode(store, ann)]
    await clock.advance(CODE_MS - 1)
    expect((await new Browser(url).signIn({ code: inTime })).status).toBe(200)
    await clock.advance(1)
    expect((await new Browser(url).signIn({ code: late })).status).toBe(401)
  })

  test('a session ends after eight hours, however much it is used', async () => {
    const clock = fakeClock(Date.now())
    const store = memoryStore({ clock })
    onTestFinished(() => store.close())
    const { url } = await start({ store })
    const browser = await signedIn(url, store)
    await clock.advance(SESSION_MS - 60_000)
    expect((await browser.call('GET', '/v1/sessions')).status).toBe(200)
    await clock.advance(61_000)
    const over = await browser.call('GET', '/v1/sessions')
    expect([over.status, await over.json()]).toMatchObject([401, { code: 'signed_out' }])
    expect(browser.cookie).toBeUndefined()
  })

  test('every refusal of a code is the same, whatever is wrong with it', async () => {
    const { url, store } = await start()
    const spent = await createCode(store, ann)
    await new Browser(url).signIn({ code: spent })
    const other = Buffer.from('other').toString('base64url')
    const answers = await Promise.all(
      [spent, '', 'x', `${'A'.repeat(300)}.${'B'.repeat(43)}`, spent.replace(/^[^.]+/, other), `../..${spent}`].map(
        async (code) => {
          const response = await new Browser(url).signIn({ code })
          return [response.status, await response.text()]
        },
      ),
    )
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(answers[0]?.[0]).toBe(401)
  })

  test('a token that auth accepts is copied into a session, which never outlives the token', async () => {
    const { url } = await start()
    const exp = Math.floor(Date.now() / 1000) + 90
    const token = await tokenOf('bea', { roles: ['auditor'], groups: ['legal'], tenant: 'acme', exp })
    const browser = new Browser(url)
    const response = await browser.signIn({ token })
    expect(await response.json()).toMatchObject({
      id: 'bea',
      tenant: 'acme',
      roles: ['auditor'],
      groups: ['legal'],
      expiresAt: new Date(exp * 1000).toISOString(),
    })
    const [, seconds] = /Max-Age=(\d+)/.exec(response.headers.get('set-cookie') ?? '') ?? []
    expect(Number(seconds)).toBeLessThanOrEqual(90)
  })

  test('a token that auth refuses, and one of an agent, sign nobody in', async () => {
    const { url } = await start()
    for (const [token, status] of [
      ['nonsense', 401],
      [await tokenOf('bea', { exp: 1 }), 401],
      [await tokenOf('bot', { roles: ['agent', 'admin'] }), 403],
    ] as const) {
      const response = await new Browser(url).signIn({ token })
      expect([response.status, response.headers.get('set-cookie')]).toEqual([status, null])
    }
  })

  test('signing in again rotates the session: the old cookie is worth nothing, in any tenant', async () => {
    const { url, store } = await start()
    const browser = await signedIn(url, store)
    const old = browser.cookie
    await browser.signIn({ code: await createCode(store, ann) })
    expect(browser.cookie).not.toBe(old)
    const second = browser.cookie
    expect((await browser.call('GET', '/v1/sessions', { headers: { cookie: old } })).status).toBe(401)
    browser.cookie = second
    await browser.signIn({ code: await createCode(store.tenant('acme'), { ...ann, tenant: 'acme' }) })
    expect((await browser.call('GET', '/v1/sessions', { headers: { cookie: second } })).status).toBe(401)
  })

  test('a cookie that somebody planted is never taken up as the session', async () => {
    const { url, store } = await start()
    const browser = new Browser(url)
    const planted = `holdpoint_${new URL(url).port}=ZGVmYXVsdA.${'A'.repeat(43)}`
    browser.cookie = planted
    await browser.signIn({ code: await createCode(store, ann) })
    expect(browser.cookie).not.toBe(planted)
    expect((await browser.call('GET', '/v1/sessions', { headers: { cookie: planted } })).status).toBe(401)
  })

  test('signing out ends the session and removes the cookie', async () => {
    const { url, store } = await start()
    const browser = await signedIn(url, store)
    const { cookie } = browser
    const out = await browser.call('DELETE', '/v1/session')
    expect([out.status, browser.cookie]).toEqual([204, undefined])
    expect((await browser.call('GET', '/v1/sessions', { headers: { cookie } })).status).toBe(401)
  })

  test('attempts are limited for each address, and what is refused costs the others nothing', async () => {
    const { url, store } = await start({ addressHeader: 'x-real-ip' })
    const attempt = (address: string, code = 'x') =>
      new Browser(url).call('POST', '/v1/session', { body: { code }, headers: { 'x-real-ip': address } })
    const statuses = []
    for (let times = 0; times < 25; times++) statuses.push((await attempt('203.0.113.9')).status)
    expect(statuses.slice(0, 20).every((status) => status === 401)).toBe(true)
    const refused = await attempt('203.0.113.9')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await attempt('203.0.113.10', await createCode(store, ann))).status).toBe(200)
  })

  test('attempts of all addresses together are limited', async () => {
    const { url } = await start({ addressHeader: 'x-real-ip' })
    const attempt = async (at: number) => {
      const headers = { 'x-real-ip': `198.51.100.${at}` }
      return (await new Browser(url).call('POST', '/v1/session', { body: { code: 'x' }, headers })).status
    }
    // Some are allowed again each second, so a slow machine needs more than one round.
    let refused = 0
    await until(async () => {
      const statuses = await Promise.all(Array.from({ length: 255 }, (_, at) => attempt(at)))
      refused += statuses.filter((status) => status === 429).length
      return refused > 10
    })
  })
})

describe('the cookie', () => {
  test('is Secure and has the usual port if the gateway is reached by https', async () => {
    const { url, store } = await start({ origins: ['https://inbox.example.com'], basePath: '/review' })
    const { rawRequest } = await import('../support/gateway/raw-request.ts')
    const answer = await rawRequest(url, {
      path: '/review/v1/session',
      method: 'POST',
      headers: { host: 'inbox.example.com', origin: 'https://inbox.example.com', 'holdpoint-csrf': '1' },
      body: JSON.stringify({ code: await createCode(store, ann) }),
    })
    expect(answer.status).toBe(200)
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^holdpoint_443=[\w.-]+; Path=\/review; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test('of another port does not count, and of two with the name neither does', async () => {
    const { url, store } = await start()
    const browser = await signedIn(url, store)
    const value = browser.cookie?.split('=')[1]
    const statusOf = async (cookie: string) =>
      (await browser.call('GET', '/v1/sessions', { headers: { cookie } })).status
    expect(await statusOf(`holdpoint_1=${value}`)).toBe(401)
    expect(await statusOf(`${browser.cookie}; ${browser.cookie}`)).toBe(401)
    expect(await statusOf(`other=1; ${browser.cookie}; more=2`)).toBe(200)
  })

  test('is ignored when the call brings a credential of its own', async () => {
    const { url, store } = await start()
    const browser = await signedIn(url, store, { sub: 'ann' })
    const authorization = `Bearer ${await tokenOf('bea')}`
    const response = await browser.call('GET', '/v1/sessions', { headers: { authorization } })
    expect(await response.json()).toEqual({ sessions: [] })
    expect((await browser.call('GET', '/v1/sessions', { headers: { authorization: 'Bearer x' } })).status).toBe(401)
  })
})

describe('the list of sessions', () => {
  test('shows a person its own; an admin all of its tenant; nobody those of another', async () => {
    const { url, store } = await start()
    const [one, two] = [await signedIn(url, store), await signedIn(url, store)]
    const bea = await signedIn(url, store, { sub: 'bea', roles: ['operator'] })
    const admin = await signedIn(url, store, { sub: 'root', roles: ['admin'] })
    const other = await signedIn(url, store, { sub: 'eve', roles: ['admin'], tenant: 'acme' })
    const listOf = async (browser: Browser) =>
      (
        (await (await browser.call('GET', '/v1/sessions')).json()) as {
          sessions: { id: string; person: string; current: boolean }[]
        }
      ).sessions
    const own = await listOf(one)
    expect(own.map(({ id }) => id).sort()).toEqual([sessionId(one), sessionId(two)].sort())
    expect(own.filter(({ current }) => current).map(({ id }) => id)).toEqual([sessionId(one)])
    expect((await listOf(bea)).map(({ person }) => person)).toEqual(['bea'])
    expect((await listOf(admin)).map(({ person }) => person).sort()).toEqual(['ann', 'ann', 'bea', 'root'])
    expect((await listOf(other)).map(({ person }) => person)).toEqual(['eve'])
  })

  test("is bounded and has pages; a person's own need none, however many others there are", async () => {
    const { url, store } = await start()
    const persons = Array.from({ length: 260 }, (_, n) => `p${n % 130}`)
    await store.writeRecords(persons.map((sub) => newSession({ sub, tenant: 'default', roles: ['reviewer'] }).change))
    const ann = await signedIn(url, store)
    const admin = await signedIn(url, store, { sub: 'root', roles: ['admin'] })
    const page = async (browser: Browser, query = '') => {
      const response = await browser.call('GET', `/v1/sessions${query}`)
      expect(response.status).toBe(200)
      return (await response.json()) as { sessions: { id: string; person: string }[]; next?: string }
    }
    const all: string[] = []
    const sizes: number[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const found = await page(admin, `?limit=100${next === '' ? '' : `&cursor=${encodeURIComponent(next)}`}`)
      all.push(...found.sessions.map(({ person }) => person))
      sizes.push(found.sessions.length)
      next = found.next
    }
    expect(sizes).toEqual([100, 100, 62])
    expect(all.sort()).toEqual([...persons, 'ann', 'root'].sort())
    expect((await page(admin)).sessions).toHaveLength(50)
    expect(await page(ann)).toEqual({ sessions: [expect.objectContaining({ id: sessionId(ann), person: 'ann' })] })
    expect((await page(admin, '?person=p7')).sessions.map(({ person }) => person)).toEqual(['p7', 'p7'])
    expect(await page(ann, '?person=p7')).toEqual({ sessions: [] })
    for (const query of ['?limit=0', '?limit=1000', '?cursor=x', '?person=', '?who=p7'])
      expect([query, (await admin.call('GET', `/v1/sessions${query}`)).status]).toEqual([query, 400])
  })

  test('a person ends its own sessions, an admin any; for others they are absent', async () => {
    const { url, store } = await start()
    const [ann1, ann2] = [await signedIn(url, store), await signedIn(url, store)]
    const bea = await signedIn(url, store, { sub: 'bea', roles: ['operator'] })
    const admin = await signedIn(url, store, { sub: 'root', roles: ['admin'] })
    const elsewhere = await signedIn(url, store, { sub: 'eve', roles: ['admin'], tenant: 'acme' })
    const end = async (browser: Browser, id: string) => (await browser.call('DELETE', `/v1/sessions/${id}`)).status
    expect(await end(bea, sessionId(ann1))).toBe(404)
    expect(await end(elsewhere, sessionId(ann1))).toBe(404)
    expect(await end(bea, 'f'.repeat(64))).toBe(404)
    expect(await end(bea, '..%2f..')).toBe(404)
    expect(await end(ann2, sessionId(ann1))).toBe(204)
    expect((await ann1.call('GET', '/v1/sessions')).status).toBe(401)
    expect(await end(admin, sessionId(ann2))).toBe(204)
    expect((await ann2.call('GET', '/v1/sessions')).status).toBe(401)
  })
})

describe.each(places)('two gateways on one store: %s', (_, place) => {
  /** Two gateways with a store of their own each, at one place. */
  async function both(work: (one: { url: string; store: Store }, two: { url: string; store: Store }) => Promise<void>) {
    await inFolder('sign-in', async (folder) => {
      const address = place(folder)
      const stores = [await storeAt(address), await storeAt(address)] as const
      try {
        await work(await start({ store: stores[0] }), await start({ store: stores[1] }))
      } finally {
        await Promise.all(stores.map((store) => store.close()))
      }
    })
  }

  test('a session that one revokes is gone at the other with the next request', () =>
    both(async (one, two) => {
      const browser = await signedIn(one.url, one.store)
      const elsewhere = new Browser(two.url)
      elsewhere.cookie = browser.cookie?.replace(new URL(one.url).port, new URL(two.url).port)
      expect((await elsewhere.call('GET', '/v1/sessions')).status).toBe(200)
      expect((await browser.call('DELETE', `/v1/sessions/${sessionId(browser)}`)).status).toBe(204)
      const refused = await elsewhere.call('GET', '/v1/sessions')
      expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'signed_out' }])
    }))

  test('a change of role acts at the next request', () =>
    both(async (one, two) => {
      const browser = await signedIn(one.url, one.store, { roles: ['admin'] })
      await signedIn(one.url, one.store, { sub: 'bea' })
      const count = async () =>
        ((await (await browser.call('GET', '/v1/sessions')).json()) as { sessions: unknown[] }).sessions.length
      expect(await count()).toBe(2)
      const record = await two.store.readRecord('session', sessionId(browser))
      const value = JSON.stringify({ ...JSON.parse(record?.value ?? ''), roles: ['reviewer'] })
      await two.store.writeRecords([{ op: 'put', kind: 'session', id: sessionId(browser), value, expect: 1 }])
      expect(await count()).toBe(1)
    }))

  test('of two that spend one code at once, one is signed in', () =>
    both(async (one, two) => {
      for (let round = 0; round < 5; round++) {
        const code = await createCode(one.store, ann)
        const statuses = await Promise.all(
          [one, two, one, two].map(async ({ url }) => (await new Browser(url).signIn({ code })).status),
        )
        expect(statuses.sort()).toEqual([200, 401, 401, 401])
      }
    }))
})

describe('single sign-on', () => {
  test('signs in whom the application has identified, for the browser that asked', async () => {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const gateway = createGateway({ store, auth: { authenticate: async () => ({ ok: false, detail: 'no tokens' }) } })
    const request = new Request('http://localhost:4747/callback')
    const cookie = await gateway.signIn(request, { sub: 'zoe', tenant: 'default', roles: ['auditor'] })
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    const response = await gateway.fetch(new Request('http://localhost:4747/v1/sessions', { headers }))
    expect(await response.json()).toMatchObject({ sessions: [{ person: 'zoe', roles: ['auditor'], current: true }] })
    const elsewhere = new Request('http://evil.example/callback')
    await expect(gateway.signIn(elsewhere, { sub: 'zoe', tenant: 'default', roles: [] })).rejects.toThrow(/own origins/)
    await expect(gateway.signIn(request, { sub: 'bot', tenant: 'default', roles: ['agent'] })).rejects.toThrow(/agent/)
  })

  test('the application can make a link for somebody, as the command line does', async () => {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const refuseAll = { authenticate: async () => ({ ok: false as const, detail: 'Sign in with a link.' }) }
    const gateway = createGateway({ store, auth: refuseAll, inbox: true })
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const link = await gateway.signInLink(server.url, { sub: 'zoe', tenant: 'acme', roles: ['reviewer'] })
    const code = new URL(link).hash.replace('#code=', '')
    const signed = await new Browser(server.url).signIn({ code })
    expect(await signed.json()).toMatchObject({ id: 'zoe', tenant: 'acme', roles: ['reviewer'], groups: [] })
    expect((await new Browser(server.url).signIn({ code })).status).toBe(401)
    await expect(gateway.signInLink('nowhere', ann)).rejects.toThrow(/address of the inbox/)
    await expect(gateway.signInLink(server.url, { ...ann, roles: ['agent'] })).rejects.toThrow(/agent/)
  })
})
