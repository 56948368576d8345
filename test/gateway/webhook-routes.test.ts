import { describe, expect, it } from 'vitest'
import { createInboxClient } from '../../src/client.ts'
import { memoryStore } from '../../src/index.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'
import { isSigned, receiver } from '../webhooks/receiver.ts'

async function scene() {
  const store = memoryStore()
  const { url, server } = await served({ store, webhooks: { allowNetworks: ['127.0.0.0/8'] } })
  const as = async (sub: string, roles: string[], tenant = 'default') =>
    createInboxClient({ url, token: await tokenOf(sub, { roles, tenant }) })
  await until(async () => (await store.readRecord('cursor', 'webhooks')) !== undefined)
  return { store, server, as, admin: await as('ada', ['admin']) }
}

describe('the routes of webhooks', () => {
  it('add, list, test, rotate and remove a target', async () => {
    const { store, admin } = await scene()
    const { url, got } = await receiver()
    const added = await admin.webhooks.add({ url, events: ['request.opened'] })
    expect(added).toMatchObject({ url, events: ['request.opened'], enabled: true, createdBy: 'ada' })
    const { webhooks } = await admin.webhooks.list()
    expect(webhooks.map(({ id, secret }) => [id, secret])).toEqual([[added.id, undefined]])
    const sent = await admin.webhooks.test(added.id)
    expect(sent).toMatchObject({ webhook: added.id, event: 'webhook.test', status: 'waiting' })
    await until(() => got.length === 1)
    expect([got[0]!.id, isSigned(got[0]!, added.secret!)]).toEqual([sent.id, true])
    const rotated = await admin.webhooks.rotate(added.id)
    await askForRefund(store)
    await until(() => got.length === 2)
    expect([isSigned(got[1]!, added.secret!), isSigned(got[1]!, rotated.secret!)]).toEqual([true, true])
    await until(async () =>
      (await admin.webhooks.deliveries(added.id)).deliveries.every((each) => each.status === 'delivered'),
    )
    const page = await admin.webhooks.deliveries(added.id, { limit: 1 })
    expect(page.deliveries.map(({ event }) => event)).toEqual(['request.opened'])
    const rest = await admin.webhooks.deliveries(added.id, { cursor: page.next! })
    expect(rest.deliveries.map(({ id }) => id)).toEqual([sent.id])
    expect(await admin.webhooks.resend(sent.id)).toMatchObject({ id: sent.id, status: 'waiting' })
    await until(() => got.length === 3)
    expect(got[2]!.id).toBe(sent.id)
    await admin.webhooks.remove(added.id)
    expect(await admin.webhooks.list()).toEqual({ webhooks: [] })
  })

  it('pause a target: it is told nothing of what happens meanwhile, and goes on after that', async () => {
    const { store, admin, as } = await scene()
    const { url, got } = await receiver()
    const { id } = await admin.webhooks.add({ url, events: ['request.opened'] })
    const paused = await admin.webhooks.change(id, { enabled: false }, { idempotencyKey: 'a' })
    expect(paused).toMatchObject({ id, enabled: false })
    expect(paused.secret).toBeUndefined()
    const other = await receiver()
    await admin.webhooks.add({ url: other.url, events: ['request.opened'] })
    await askForRefund(store)
    await until(() => other.got.length === 1)
    expect(await admin.webhooks.change(id, { enabled: true })).toMatchObject({ enabled: true })
    // A repeated write changes nothing again.
    expect(await admin.webhooks.change(id, { enabled: false }, { idempotencyKey: 'a' })).toMatchObject({
      enabled: true,
    })
    const { id: second } = await askForRefund(store)
    await until(() => got.length > 0)
    expect(got.map(({ message }) => message.data.id)).toEqual([second])
    const refused = (await as('ann', ['operator'])).webhooks.change(id, { enabled: false })
    await expect(refused).rejects.toMatchObject({ status: 403 })
    await expect(admin.webhooks.change('wh_none', { enabled: false })).rejects.toMatchObject({ status: 404 })
  })

  it('write once for an idempotency key, and answer a repeated write alike', async () => {
    const { store, admin, as } = await scene()
    const { url, got } = await receiver()
    const key = (idempotencyKey: string) => ({ idempotencyKey })
    const { webhooks } = admin
    const [added, race] = await Promise.all([webhooks.add({ url }, key('a')), webhooks.add({ url }, key('a'))])
    expect(race).toEqual(added)
    expect(await webhooks.add({ url }, key('a'))).toEqual(added)
    expect(added.secret).toMatch(/^whsec_/)
    expect((await webhooks.list()).webhooks).toHaveLength(1)
    await expect(webhooks.add({ url, events: ['request.opened'] }, key('a'))).rejects.toMatchObject({ status: 422 })

    const { id } = added
    const rotated = await webhooks.rotate(id, key('a'))
    expect(await webhooks.rotate(id, key('a'))).toEqual(rotated)
    expect((await webhooks.rotate(id, key('b'))).secret).not.toBe(rotated.secret)
    expect((await webhooks.rotate(id, key('a'))).secret).toBe(rotated.secret)
    expect((await webhooks.add({ url }, key('a'))).secret).toBe(added.secret)

    const sent = await webhooks.test(id, key('a'))
    expect((await webhooks.test(id, key('a'))).id).toBe(sent.id)
    await until(async () => (await webhooks.deliveries(id)).deliveries.every((each) => each.status === 'delivered'))
    expect(got).toHaveLength(1)
    await webhooks.resend(sent.id, key('a'))
    await until(async () => got.length === 2 && (await webhooks.deliveries(id)).deliveries[0]!.status === 'delivered')
    expect(await webhooks.resend(sent.id, key('a'))).toMatchObject({ id: sent.id, status: 'delivered' })
    expect(got).toHaveLength(2)

    const other = await as('ann', ['admin'])
    const own = await other.webhooks.add({ url }, key('a'))
    expect(own.id).not.toBe(id)
    await webhooks.remove(id, key('a'))
    await webhooks.remove(id, key('a'))
    await expect(webhooks.remove(id, key('b'))).rejects.toMatchObject({ status: 404 })
    expect((await webhooks.list()).webhooks.map((each) => each.id)).toEqual([own.id])
    expect(JSON.stringify(await store.findRecords({ kind: 'idempotency', limit: 500 }))).not.toContain('whsec_')
  })

  it('are for admins alone', async () => {
    const { as, admin } = await scene()
    const { id } = await admin.webhooks.add({ url: 'https://example.com/' })
    for (const role of ['reviewer', 'operator', 'auditor']) {
      const { webhooks } = await as('ann', [role])
      for (const attempt of [
        () => webhooks.list(),
        () => webhooks.add({ url: 'https://example.com/' }),
        () => webhooks.remove(id),
        () => webhooks.rotate(id),
        () => webhooks.test(id),
        () => webhooks.deliveries(id),
        () => webhooks.resend(id),
      ])
        await expect(attempt()).rejects.toMatchObject({ status: 403, code: 'not_allowed' })
    }
    expect((await admin.webhooks.list()).webhooks).toHaveLength(1)
  })

  it('show nothing of another tenant', async () => {
    const { as, admin } = await scene()
    const { url, got } = await receiver()
    const { id } = await admin.webhooks.add({ url })
    const sent = await admin.webhooks.test(id)
    const { webhooks } = await as('ada', ['admin'], 'other')
    expect(await webhooks.list()).toEqual({ webhooks: [] })
    for (const attempt of [
      () => webhooks.remove(id),
      () => webhooks.rotate(id),
      () => webhooks.test(id),
      () => webhooks.deliveries(id),
      () => webhooks.resend(sent.id),
    ])
      await expect(attempt()).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await until(() => got.length === 1)
  })

  it('refuse addresses that must not be reached, and events that do not exist', async () => {
    const { admin } = await scene()
    for (const url of ['https://10.0.0.1/', 'https://user:x@example.com/', 'https://[fd00::1]/', 'ftp://example.com/'])
      await expect(admin.webhooks.add({ url })).rejects.toMatchObject({ status: 400 })
    await expect(admin.webhooks.add({ url: 'https://example.com/', events: [] })).rejects.toMatchObject({ status: 400 })
    const events = ['request.deleted'] as never
    await expect(admin.webhooks.add({ url: 'https://example.com/', events })).rejects.toMatchObject({ status: 400 })
  })

  it('a gateway that is closed sends nothing more, and another goes on', async () => {
    const { store, server, admin } = await scene()
    const { url, got } = await receiver()
    await admin.webhooks.add({ url })
    await server.close()
    await askForRefund(store)
    await served({ store, webhooks: { allowNetworks: ['127.0.0.0/8'] } })
    await until(() => got.length === 1)
  })
})
