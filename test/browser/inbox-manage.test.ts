import { describe, expect, it, vi } from 'vitest'
import { newSession } from '../../src/gateway/sign-in/session-records.ts'
import { openDesk, type Store } from '../../src/index.ts'
import { deliveryRecords, listDeliveries } from '../../src/webhooks/deliveries.ts'
import { DELIVERY, deliveryKey, putDelivery, putDue, toDelivery } from '../../src/webhooks/delivery.ts'
import { until } from '../support/until.ts'
import { isSigned, receiver } from '../webhooks/receiver.ts'
import { refundOf, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ maxConcurrency: 2 })

const inbox = useInbox()
const DAY_MS = 86_400_000

/** Grants of three calls of one agent and one of another, given by bob. */
async function grantFour(store: Store): Promise<void> {
  const clerk = [1, 2, 3].map((nth) => refundOf(nth * 1000, `p${nth}@example.com`))
  const ids = await wish(store, ...clerk, refundOf(4000, 'p4@example.com', { agent: 'payer' }))
  const desk = openDesk({ store })
  for (const request of ids)
    await desk.decide({ request, decision: { type: 'approve' }, always: { scope: 'thread', uses: 5 }, by: 'bob' })
}

describe.concurrent('grants', () => {
  it('one is taken back, then all of an agent; ended ones are listed; others see it live and may not do it', async () => {
    const server = await inbox.serve()
    await grantFour(server.store)
    const operator = await inbox.seat(server, { sub: 'ann', roles: ['operator'] })
    const reviewer = await inbox.seat(server, { sub: 'cid' })
    const desk = openDesk({ store: server.store })
    const grants = async () => (await desk.grants({ status: 'all' })).grants
    for (const { page } of [operator, reviewer]) {
      await page.getByRole('link', { name: 'Grants' }).click()
      await page.getByText('Runs refund without asking').nth(3).waitFor()
    }
    const { page } = operator
    const rows = page.locator('.grant[data-status=active]')
    const one = rows
      .filter({ hasText: 'clerk' })
      .getByRole('button', { name: /^Take back: / })
      .first()
    await one.click()
    const dialog = page.getByRole('dialog', { name: 'Take back this grant?' })
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await grants()).filter(({ revoked }) => revoked)).toEqual([])
    await one.click()
    await dialog.getByLabel('Why, for the record').fill('wrong order')
    await dialog.getByRole('button', { name: 'Take back' }).click()
    await dialog.waitFor({ state: 'detached' })
    await until(async () => (await rows.count()) === 3)

    const some = (await grants()).filter(({ revoked }) => revoked)
    expect(some).toHaveLength(1)
    expect(JSON.stringify(some)).toContain('wrong order')
    await page.getByRole('button', { name: 'Take back all of one agent…' }).click()
    const all = page.getByRole('dialog', { name: 'Take back all grants of one agent' })
    await all.getByLabel('Agent').selectOption('clerk')
    const [later] = await wish(server.store, refundOf(5000, 'p5@example.com'))
    await desk.decide({ request: later!, decision: { type: 'approve' }, always: { scope: 'thread' }, by: 'bob' })
    await until(async () => (await rows.count()) === 4)
    await all.getByRole('button', { name: /^Take back \d grants?$/ }).click()
    await all.waitFor({ state: 'detached' })
    await until(async () => (await rows.count()) === 2)
    expect((await rows.allInnerTexts()).filter((text) => text.includes('payer'))).toHaveLength(1)
    // Those that were asked about, and not the one that came meanwhile.
    const open = (await grants()).filter(({ revoked }) => !revoked)
    expect(open.map(({ requestId }) => requestId)).toContain(later)
    expect(open).toHaveLength(2)

    await page.getByText('3 ended or taken back').click()
    const ended = page.locator('.grant[data-status=revoked]')
    expect(await ended.count()).toBe(3)
    for (const text of await ended.allInnerTexts()) expect(text).toContain('taken back by you')
    // The reviewer gave none of them: they follow what happens, and have no button.
    await reviewer.page.getByText('3 ended or taken back').waitFor()
    expect(await reviewer.page.getByText('Only who gave it, an operator or an admin can take it back.').count()).toBe(2)
    expect(await reviewer.page.getByRole('button', { name: /^Take back/ }).count()).toBe(0)
  })
})

describe.concurrent('settings', () => {
  it('an admin ends somebody else’s sign-in; their window is signed out and decides nothing', async () => {
    const server = await inbox.serve({ heartbeatSeconds: 1 })
    await wish(server.store, refundOf(4200))
    const bob = await inbox.seat(server, { sub: 'bob' })
    await bob.reads('€42.00')
    const { page } = await inbox.seat(server, { sub: 'ann', roles: ['admin'] })
    await page.getByRole('link', { name: /Signed in as ann/ }).click()
    await page.getByText('this one').waitFor()
    const end = page.getByRole('button', { name: /^End the sign-in of / })
    expect(await end.count()).toBe(1)
    await end.click()
    await until(async () => (await end.count()) === 0)
    await bob.page.getByLabel('Access token').waitFor()
    expect(await bob.page.locator('body').innerText()).not.toContain('€42.00')
    // The one that ended it goes on, and sees all sign-ins, however many there are.
    const others = Array.from({ length: 60 }, (_, n) => ({ sub: `p${n}`, tenant: 'default', roles: ['reviewer'] }))
    await server.store.writeRecords(others.map((person) => newSession(person).change))
    await page.reload()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    const more = page.getByRole('button', { name: 'Show more' })
    await more.click()
    await until(async () => (await end.count()) === 60)
    expect(await more.count()).toBe(0)
  })

  it('webhooks: a secret that is shown once, pause, dead letters that are sent again, removal', async () => {
    const server = await inbox.serve({ webhooks: { allowNetworks: ['127.0.0.0/8'] } })
    const target = await receiver()
    const { page } = await inbox.seat(server, { sub: 'ann', roles: ['admin'] })
    await page.goto(`${server.url}/#/settings`)
    const address = page.getByLabel('Address')
    await address.fill('http://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByRole('alert').waitFor()
    await address.fill(target.url)
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    const shown = page.getByRole('dialog', { name: 'The secret, shown once' })
    const secret = await shown.locator('code').innerText()
    await shown.getByRole('button', { name: 'I have stored it' }).click()
    const row = page.locator('.webhook')
    await row.getByRole('button', { name: 'Send a test' }).click()
    await until(() => target.got.length === 1)
    expect(isSigned(target.got[0]!, secret)).toBe(true)
    await page.reload()
    await row.waitFor()
    expect(await page.content()).not.toContain(secret)

    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('paused: told nothing').waitFor()
    await wish(server.store, refundOf(4200))
    // What happened while it was paused has been read.
    const { end } = await server.store.outbox()
    await until(async () => (await deliveryRecords(server.store).readRecord('cursor', 'webhooks'))?.value === end)
    await row.getByRole('button', { name: 'Go on' }).click()
    await row.getByRole('button', { name: 'Pause' }).waitFor()
    target.state.answer = (response) => response.writeHead(500).end()
    const [second] = await wish(server.store, refundOf(4300))
    await until(() => target.got.length === 2)
    expect(target.got[1]!.message.data.id).toBe(second)

    await giveUp(server.store, target.got[1]!.id)
    await row.getByText('Messages').click()
    const failed = row.getByRole('row', { name: /request\.opened.*failed/ })
    await failed.getByText('500').waitFor()
    target.state.answer = (response) => response.writeHead(204).end()
    const tries = target.got.length
    await failed.getByRole('button', { name: 'Send again' }).click()
    await until(() => target.got.length > tries)
    expect(target.got.at(-1)).toMatchObject({ id: target.got[1]!.id, body: target.got[1]!.body })
    await failed.waitFor({ state: 'detached' })

    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('None yet.').waitFor()
  })
})

/** Lets a delivery be tried for the last time: its first try was more than a day ago. */
async function giveUp(store: Store, id: string): Promise<void> {
  const records = deliveryRecords(store)
  const status = async () => {
    const { deliveries } = await listDeliveries(store, { webhook: `wh_${id.split('_')[1]}` })
    return deliveries.find((each) => each.id === id)
  }
  await until(async () => (await status())?.attempts === 1)
  const found = await records.readRecord(DELIVERY, deliveryKey(store.tenantId, id))
  const delivery = toDelivery(found!)
  const since = delivery.since - 2 * DAY_MS
  await records.writeRecords([putDelivery({ ...delivery, since }), putDue(delivery, Date.now())])
  await until(async () => (await status())?.status === 'failed')
}
