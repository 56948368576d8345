import { describe, expect, it } from 'vitest'
import { memoryStore, openDesk, sweep } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { listDeliveries, resend, sendTest } from '../../src/webhooks/deliveries.ts'
import { toWebhookSettings } from '../../src/webhooks/options.ts'
import { claim, queue } from '../../src/webhooks/sending/claim.ts'
import { addTarget, listTargets, removeTarget, rotateSecret } from '../../src/webhooks/targets/targets.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { until } from '../support/until.ts'
import { isSigned, receiver } from './receiver.ts'
import { sending, target } from './scene.ts'

const BOB = { kind: 'person', id: 'bob' } as const
const HOUR = 3_600_000

describe('webhooks', () => {
  it('tell about new, decided, escalated and expired requests, signed, each with its request and version', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { url, got } = await receiver()
    const { secret } = await target(store, url)
    const { outcomes } = await sending(store)
    const decided = await askForRefund(store)
    const expiring = await askForRefund(store, { timeoutSeconds: 60 })
    const escalating = await askForRefund(store, { timeoutSeconds: 60, onTimeout: 'escalate' })
    await openDesk({ store }).decide({ request: decided.id, decision: { type: 'approve' }, by: BOB })
    await until(() => outcomes.length === 4)
    clock.advance(61_000)
    await sweep(store)
    await until(() => got.length === 6)
    const told = got.map(({ message: { type, data } }) => [type, data.id, data.version, data.status])
    expect(told).toHaveLength(6)
    expect(told).toEqual(
      expect.arrayContaining([
        ['request.opened', decided.id, 1, 'open'],
        ['request.opened', expiring.id, 1, 'open'],
        ['request.opened', escalating.id, 1, 'open'],
        ['request.decided', decided.id, 2, 'decided'],
        ['request.expired', expiring.id, 2, 'expired'],
        ['request.escalated', escalating.id, 2, 'open'],
      ]),
    )
    expect(got.every((each) => isSigned(each, secret))).toBe(true)
    expect(new Set(got.map(({ id }) => id)).size).toBe(6)
    expect(got.every(({ id }) => !id.includes('.'))).toBe(true)
  })

  it('are sent once a clock that was far ahead is right again', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const right = clock.now()
    const { url, got, state } = await receiver((response) => response.writeHead(500).end())
    const { id: webhook } = await target(store, url)
    clock.set(right + 400 * 24 * HOUR)
    const wrong = await sending(store)
    const { id } = await askForRefund(store)
    await until(() => wrong.outcomes.length === 1)
    await wrong.stop(0)
    clock.set(right)
    const { outcomes } = await sending(store)
    await until(() => outcomes.length === 1, 5000)
    state.answer = (response) => response.writeHead(204).end()
    expect(outcomes).toEqual(['retrying'])
    const [waiting] = (await listDeliveries(store, { webhook })).deliveries
    expect(Date.parse(waiting!.nextAt!) - right).toBeLessThan(HOUR)
    clock.advance(60_000)
    await until(() => outcomes.length === 2)
    expect(got.map(({ message }) => message.data.id)).toEqual([id, id, id])
    expect(new Set(got.map((each) => each.id)).size).toBe(1)
  })

  it('say nothing of the arguments, and contain nothing to answer with', async () => {
    const store = memoryStore()
    const { url, got } = await receiver()
    await target(store, url)
    await sending(store, { inboxUrl: 'https://inbox.example/' })
    const { id } = await askForRefund(store, {
      description: 'words of the policy',
      risk: 'high',
      timeoutSeconds: 600,
    })
    await until(() => got.length === 1)
    const { message, body } = got[0]!
    expect(message).toEqual({
      type: 'request.opened',
      timestamp: expect.any(String),
      data: {
        ...{ id, version: 1, status: 'open', kind: 'approve', tenant: 'default', agent: 'clerk', toolName: 'refund' },
        ...{ risk: 'high', expiresAt: expect.any(String), url: `https://inbox.example/#/inbox/${id}` },
      },
    })
    // Ids and times have the digits of an amount now and then.
    const words = body.replaceAll(id, '').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')
    for (const hidden of ['secret', 'cents', '500', 'digest', 'words of the policy', 'pay back'])
      expect(words).not.toContain(hidden)
  })

  it('have the headline of the call only if the tool declares one and the operator wants titles', async () => {
    const told = async (titles: boolean): Promise<unknown[]> => {
      const store = memoryStore()
      const { url, got } = await receiver()
      await target(store, url)
      const { outcomes } = await sending(store, { titles })
      await askForRefund(store, { title: 'Refund {cents} now' })
      await until(() => outcomes.length === 1)
      await askForRefund(store)
      await until(() => outcomes.length === 2)
      return got.map(({ message }) => message.data.title)
    }
    expect(await told(false)).toEqual([undefined, undefined])
    expect(await told(true)).toEqual(['Refund 500 now', undefined])
  })

  it('go to the targets of the same tenant that want the event, and to no other', async () => {
    const store = memoryStore()
    const [own, picky, foreign] = [await receiver(), await receiver(), await receiver()]
    await target(store, own.url)
    await target(store, picky.url, ['request.decided'])
    await target(store.tenant('other'), foreign.url)
    await sending(store)
    const { id } = await askForRefund(store)
    await openDesk({ store }).cancel((await askForRefund(store)).id, { reason: 'x', by: BOB })
    await openDesk({ store }).decide({ request: id, decision: { type: 'reject' }, by: BOB })
    await until(() => own.got.length === 4 && picky.got.length === 1)
    const elsewhere = await askForRefund(store.tenant('other'))
    await until(() => foreign.got.length === 1)
    expect(foreign.got[0]!.message.data).toMatchObject({ id: elsewhere.id, tenant: 'other' })
    expect([own.got.length, picky.got.map(({ message }) => message.type)]).toEqual([4, ['request.decided']])
  })

  it('come from the cursor on: what happens while nobody sends is told later', async () => {
    const store = memoryStore()
    const { url, got } = await receiver()
    await target(store, url)
    const first = await sending(store)
    await first.stop()
    const missed = await askForRefund(store)
    expect(got).toEqual([])
    await sending(store)
    await until(() => got.length === 1)
    expect(got[0]!.message.data.id).toBe(missed.id)
  })

  it('are sent once by two processes that share the work', async () => {
    const store = memoryStore()
    const { url, got } = await receiver()
    await target(store, url)
    const [one, two] = [await sending(store), await sending(store)]
    const asked = await Promise.all(Array.from({ length: 30 }, () => askForRefund(store)))
    await until(() => got.length >= 30)
    await until(() => one.outcomes.length + two.outcomes.length === 30)
    expect(got.map(({ message }) => message.data.id).sort()).toEqual(asked.map(({ id }) => id).sort())
    expect(one.happenings.length + two.happenings.length).toBe(30)
    expect([...one.errors, ...two.errors]).toEqual([])
  })
})

describe('a target that fails', () => {
  it('is tried again with the same id and body, after growing delays, and then gets no more by itself', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { url, got } = await receiver((response) => response.writeHead(500).end())
    const { id: webhook } = await target(store, url)
    const { outcomes } = await sending(store)
    await askForRefund(store)
    const started = clock.now()
    const tried: number[] = []
    for (let attempt = 1; outcomes.at(-1) !== 'dead'; attempt++) {
      await until(() => outcomes.length === attempt)
      tried.push(clock.now() - started)
      const [delivery] = (await listDeliveries(store, { webhook })).deliveries
      expect(delivery).toMatchObject({ attempts: attempt, lastError: 'HTTP 500' })
      await until(() => clock.waiting > 0)
      if (delivery!.nextAt !== undefined) clock.set(Date.parse(delivery!.nextAt))
    }
    expect(tried.length).toBeGreaterThanOrEqual(8)
    expect(tried.at(-1)).toBeLessThanOrEqual(24 * HOUR)
    expect(new Set(got.map(({ id }) => id)).size).toBe(1)
    expect(new Set(got.map(({ body }) => body)).size).toBe(1)
    expect(new Set(got.map(({ timestamp }) => timestamp)).size).toBe(tried.length)
    const { deliveries } = await listDeliveries(store, { webhook })
    expect(deliveries).toMatchObject([{ status: 'failed', event: 'request.opened' }])
  })

  it('its dead letter can be sent again, with the same id', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { url, got, state } = await receiver((response) => response.writeHead(500).end())
    const { id: webhook, secret } = await target(store, url)
    const { outcomes } = await sending(store)
    await askForRefund(store)
    await until(() => outcomes.length === 1)
    clock.advance(24 * HOUR)
    await until(() => outcomes.at(-1) === 'dead')
    const [dead] = (await listDeliveries(store, { webhook })).deliveries
    expect(dead).toMatchObject({ status: 'failed' })
    expect(await resend(store.tenant('other'), dead!.id, { now: clock.now() })).toBeUndefined()
    state.answer = (response) => response.writeHead(204).end()
    expect(await resend(store, dead!.id, { now: clock.now() })).toMatchObject({ status: 'waiting', attempts: 0 })
    clock.advance(1000)
    await until(() => outcomes.at(-1) === 'delivered')
    expect(new Set(got.map(({ id }) => id))).toEqual(new Set([dead!.id]))
    expect(isSigned(got.at(-1)!, secret)).toBe(true)
    expect((await listDeliveries(store, { webhook })).deliveries).toMatchObject([{ status: 'delivered', attempts: 1 }])
  })

  it('does not hold up others, also if it hangs', async () => {
    const store = memoryStore()
    const hanging = await receiver(() => undefined)
    const healthy = await receiver()
    await target(store, hanging.url)
    await target(store, healthy.url)
    await sending(store, { timeoutSeconds: 20 })
    for (let i = 0; i < 20; i++) await askForRefund(store)
    await until(() => healthy.got.length === 20)
    expect(hanging.got.length).toBeLessThanOrEqual(4)
  })

  it('a redirect or a private address counts as a failure that an admin sees', async () => {
    const store = memoryStore()
    const other = await receiver()
    const redirecting = await receiver((response) => response.writeHead(302, { location: other.url }).end())
    const hidden = await receiver()
    const [one, two] = [await target(store, redirecting.url), await target(store, hidden.url)]
    const { outcomes } = await sending(store, { allowNetworks: [] })
    await askForRefund(store)
    await until(() => outcomes.length === 2)
    const error = async (webhook: string) => (await listDeliveries(store, { webhook })).deliveries[0]?.lastError
    expect(await error(one.id)).toContain('public Internet')
    expect(await error(two.id)).toContain('public Internet')
    expect(hidden.state.connections + redirecting.state.connections + other.state.connections).toBe(0)
  })
})

describe('secrets', () => {
  it('rotate with an overlap: for a day a receiver with either secret accepts messages', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { url, got } = await receiver()
    const { id, secret: old } = await target(store, url)
    const { outcomes } = await sending(store)
    await askForRefund(store)
    await until(() => got.length === 1)
    const { secret: fresh = '' } = (await rotateSecret(store, id, { now: clock.now() })) ?? {}
    expect(fresh).not.toBe(old)
    await askForRefund(store)
    await until(() => outcomes.length === 2)
    clock.advance(25 * HOUR)
    await askForRefund(store)
    await until(() => got.length === 3)
    expect(got.map((each) => [isSigned(each, old), isSigned(each, fresh)])).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ])
  })

  it('are not listed', async () => {
    const store = memoryStore()
    const { secret } = await target(store, 'http://127.0.0.1:9/')
    const [listed] = await listTargets(store)
    expect(listed).toMatchObject({ url: 'http://127.0.0.1:9/', createdBy: 'ada', enabled: true })
    const { toWebhook } = await import('../../src/webhooks/targets/targets.ts')
    expect(JSON.stringify(toWebhook(listed!))).not.toContain(secret.slice(6))
  })
})

describe('through trouble', () => {
  it('a process that dies between delivery and mark: another sends it again, with the same id', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { url, got } = await receiver()
    const { id } = await target(store, url)
    const first = await sending(store)
    await first.stop()
    await sendTest(store, id, { now: clock.now() })
    // What a sender does up to its death: it claims, and the message arrives.
    for await (const due of queue(store)) {
      const claimed = await claim(store, due, clock.now() + 60_000)
      await fetch(url, {
        method: 'POST',
        headers: { 'webhook-id': claimed!.delivery.id },
        body: claimed!.delivery.body,
      })
    }
    expect(got).toHaveLength(1)
    const { outcomes } = await sending(store)
    clock.advance(59_000)
    await until(() => clock.waiting > 0)
    expect(got).toHaveLength(1)
    clock.advance(1000)
    await until(() => outcomes.length === 1)
    expect(got.map((each) => each.id)).toEqual([got[0]!.id, got[0]!.id])
    clock.advance(HOUR)
    expect((await listDeliveries(store, { webhook: id })).deliveries).toMatchObject([{ status: 'delivered' }])
  })

  it('of two processes that claim the same delivery one gets it', async () => {
    const store = memoryStore()
    const { id } = await target(store, 'http://127.0.0.1:9/')
    await sendTest(store, id, { now: 1000 })
    const found = []
    for await (const due of queue(store)) found.push(due)
    const claims = await Promise.all([claim(store, found[0]!, 9000), claim(store, found[0]!, 9000)])
    expect(claims.filter((each) => each !== undefined)).toHaveLength(1)
  })

  it('a stop cuts off attempts after its grace, and they are sent again at once by the next process', async () => {
    const store = memoryStore()
    const { url, got, state } = await receiver(() => undefined)
    const { id: webhook } = await target(store, url)
    const first = await sending(store, { timeoutSeconds: 30 })
    await askForRefund(store)
    await until(() => got.length === 1)
    await first.stop(10)
    expect((await listDeliveries(store, { webhook })).deliveries).toMatchObject([{ status: 'waiting', attempts: 0 }])
    state.answer = (response) => response.writeHead(204).end()
    const second = await sending(store)
    await until(() => second.outcomes.length === 1)
    expect(new Set(got.map(({ id }) => id)).size).toBe(1)
  })

  it('what waits for a target that is removed is dropped', async () => {
    const store = memoryStore()
    const { url, got, state } = await receiver((response) => response.writeHead(500).end())
    const { id } = await target(store, url)
    const { outcomes } = await sending(store)
    await askForRefund(store)
    await until(() => outcomes.length === 1)
    expect(await removeTarget(store, id)).toBe(true)
    expect(await removeTarget(store, id)).toBe(false)
    state.answer = (response) => response.writeHead(204).end()
    await askForRefund(store)
    await until(async () => {
      for await (const due of queue(store)) if (due.at <= Date.now()) return false
      return true
    })
    expect(got).toHaveLength(1)
  })

  it('refuses targets that could never be told, and more than a hundred', async () => {
    const store = memoryStore()
    const settings = toWebhookSettings()
    const add = (url: string, events?: string[]) =>
      addTarget(store, { url, by: 'ada', ...(events ? { events: events as [] } : {}) }, { settings, now: 0 })
    await expect(add('http://example.com/')).rejects.toThrow(/https/)
    await expect(add('https://10.0.0.1/')).rejects.toThrow(/public Internet/)
    await expect(add('https://example.com/', [])).rejects.toThrow(/one or more/)
    await expect(add('https://example.com/', ['request.deleted'])).rejects.toThrow(/one or more/)
    for (let i = 0; i < 100; i++) await add(`https://example.com/${i}`)
    await expect(add('https://example.com/')).rejects.toThrow(/maximum/)
  })
})
