import { expect, it } from 'vitest'
import { createGateway } from '../../src/gateway.ts'
import { memoryStore, memoryStreams, openDesk } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'

const TOKEN = 'a token for the metrics alone'
const BOB = { kind: 'person', id: 'bob' } as const

/** The samples of a page, by name and labels. Throws for a line that the text format does not allow. */
function parse(page: string): Map<string, number> {
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  expect(page.endsWith('\n')).toBe(true)
  for (const line of page.trimEnd().split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line)
    if (comment) {
      if (comment[1] === 'TYPE') {
        expect(types.has(comment[2]!)).toBe(false)
        types.set(comment[2]!, comment[3]!)
      }
      continue
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? ([-+]?(?:\d[\d.e+-]*|Inf)|NaN)$/.exec(line)
    if (!sample) throw new Error(`this is not a sample: ${line}`)
    const [, name = '', labels = '', value] = sample
    const labelList =
      /^(\{[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"(?:,[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*")*\})?$/
    expect(labels).toMatch(labelList)
    expect(types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram').toBe(true)
    expect(samples.has(name + labels)).toBe(false)
    samples.set(name + labels, Number(value === '+Inf' ? Number.POSITIVE_INFINITY : value))
  }
  return samples
}

async function scene() {
  const store = memoryStore()
  const { url } = await served({ store, metricsToken: TOKEN, operatorTenant: 'home' })
  const get = (token?: string) =>
    fetch(`${url}/metrics`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
  const metrics = async () => parse(await (await get(TOKEN)).text())
  await until(async () => (await store.readRecord('cursor', 'webhooks')) !== undefined)
  return { store, url, get, metrics }
}

it('is for the metrics token, and operators and admins of the tenant that runs the gateway alone', async () => {
  const { get } = await scene()
  expect((await get()).status).toBe(401)
  expect((await get('wrong')).status).toBe(401)
  const tenant = 'home'
  for (const role of ['reviewer', 'auditor'])
    expect((await get(await tokenOf('ann', { roles: [role], tenant }))).status).toBe(403)
  expect((await get(await tokenOf('robot', { roles: ['agent', 'admin'], tenant }))).status).toBe(403)
  for (const role of ['operator', 'admin']) {
    expect((await get(await tokenOf('ann', { roles: [role], tenant }))).status).toBe(200)
    for (const other of ['default', 'acme', 'Home'])
      expect((await get(await tokenOf('ann', { roles: [role], tenant: other }))).status).toBe(403)
  }
  const response = await get(TOKEN)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
})

it('no role of any tenant opens it unless the gateway names the tenant that runs it', async () => {
  const { url } = await served({ store: memoryStore() })
  for (const tenant of ['default', 'acme', 'undefined']) {
    const token = await tokenOf('ann', { roles: ['operator', 'admin'], tenant })
    expect((await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(403)
  }
  const auth = { authenticate: async () => ({ ok: false as const, detail: '' }) }
  for (const operatorTenant of ['', 'a b', 7 as never])
    expect(() => createGateway({ streams: memoryStreams(), auth, operatorTenant })).toThrow(/operatorTenant/)
})

it('an empty or short metrics token is refused when the gateway is made', () => {
  const auth = { authenticate: async () => ({ ok: false as const, detail: '' }) }
  for (const metricsToken of ['', 'short'])
    expect(() => createGateway({ streams: memoryStreams(), auth, metricsToken })).toThrow(/metricsToken/)
})

it('counts requests, decisions, streams and HTTP requests in the text format of Prometheus', async () => {
  const { store, url, metrics } = await scene()
  const asked = [await askForRefund(store), await askForRefund(store), await askForRefund(store.tenant('acme'))]
  await openDesk({ store }).decide({ request: asked[0]!.id, decision: { type: 'approve' }, by: BOB })
  await openDesk({ store }).decide({ request: asked[1]!.id, decision: { type: 'reject' }, by: BOB })
  const { seen } = await openEvents(url, await tokenOf('ann', { roles: ['reviewer'] }))
  await until(() => seen.lastId !== undefined)
  await until(async () => (await metrics()).get('holdpoint_decision_seconds_count') === 2)
  const found = await metrics()
  expect(found.get('holdpoint_requests_opened_total{tool="refund"}')).toBe(3)
  expect(found.get('holdpoint_decisions_total{tool="refund",outcome="approve"}')).toBe(1)
  expect(found.get('holdpoint_decisions_total{tool="refund",outcome="reject"}')).toBe(1)
  expect(found.get('holdpoint_decision_seconds_bucket{le="+Inf"}')).toBe(2)
  expect(found.get('holdpoint_live_streams')).toBe(1)
  expect(found.get('holdpoint_outbox_lag_seconds{consumer="webhooks"}')).toBeLessThan(60)
  expect(found.get('holdpoint_http_requests_total{method="GET",route="/v1/events",status="200"}')).toBe(1)
  expect(found.get('holdpoint_http_requests_total{method="GET",route="/metrics",status="200"}')).toBeGreaterThan(0)
})

it('tells how many requests of all tenants are open, and how old the oldest is', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const { url } = await served({ store, metricsToken: TOKEN })
  const metrics = async (at: string) =>
    parse(await (await fetch(`${at}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text())
  const empty = await metrics(url)
  expect(empty.get('holdpoint_open_requests')).toBe(0)
  expect(empty.get('holdpoint_oldest_open_request_age_seconds')).toBe(0)
  const first = await askForRefund(store.tenant('acme'))
  clock.advance(60_000)
  await askForRefund(store)
  clock.advance(30_000)
  expect((await metrics(url)).get('holdpoint_open_requests'), 'a reading is used for five seconds').toBe(0)
  const full = await metrics((await served({ store, metricsToken: TOKEN })).url)
  expect(full.get('holdpoint_open_requests')).toBe(2)
  expect(full.get('holdpoint_oldest_open_request_age_seconds')).toBe(90)
  await openDesk({ store: store.tenant('acme') }).decide({ request: first.id, decision: { type: 'reject' }, by: BOB })
  const rest = await metrics((await served({ store, metricsToken: TOKEN })).url)
  expect(rest.get('holdpoint_open_requests')).toBe(1)
  expect(rest.get('holdpoint_oldest_open_request_age_seconds')).toBe(30)
})

it('leaves the open requests out while the store fails, and logs why', async () => {
  const sound = memoryStore()
  let fails = true
  const queue = () => (fails ? Promise.reject(new Error('the disk is gone')) : sound.queue())
  const logged: unknown[] = []
  const logger = {
    info: () => {},
    warn: (...line: unknown[]) => logged.push(line),
    error: (...line: unknown[]) => logged.push(line),
  }
  const { url } = await served({ store: { ...sound, queue }, metricsToken: TOKEN, logger })
  const metrics = async () =>
    parse(await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text())
  const without = await metrics()
  expect(without.has('holdpoint_open_requests')).toBe(false)
  expect(without.get('holdpoint_live_streams')).toBe(0)
  expect(JSON.stringify(logged)).toContain('the disk is gone')
  fails = false
  expect((await metrics()).get('holdpoint_open_requests')).toBe(0)
})

it('names no tenant, no person and no request', async () => {
  const { store, url, get } = await scene()
  const { id } = await askForRefund(store.tenant('acme'))
  await fetch(`${url}/v1/webhooks/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${await tokenOf('somebody', { roles: ['admin'], tenant: 'acme' })}` },
  })
  await until(async () => (await (await get(TOKEN)).text()).includes('tool="refund"'))
  const page = await (await get(TOKEN)).text()
  for (const hidden of ['acme', 'somebody', id]) expect(page).not.toContain(hidden)
  expect(page).toContain('route="/v1/webhooks/:id",status="404"')
})
