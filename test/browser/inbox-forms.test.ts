import { describe, expect, it, vi } from 'vitest'
import type { GatewayOptions } from '../../src/gateway.ts'
import { openDesk } from '../../src/index.ts'
import { until } from '../support/until.ts'
import { agentOf, refundOf, storedOf, type Wish, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ maxConcurrency: 4 })

const inbox = useInbox()

async function open(wishes: Wish[], options: Partial<GatewayOptions> = {}) {
  const server = await inbox.serve(options)
  const ids = await wish(server.store, ...wishes)
  const seat = await inbox.seat(server)
  const changed = async (at = 0) => {
    const { changed: entry } = (await server.store.getRequest(ids[at]!))!
    return entry ? JSON.parse(entry.body) : undefined
  }
  return { server, ids, seat, changed, stored: (at = 0) => storedOf(server.store, ids[at]!) }
}

it('what was typed is there again for whoever went elsewhere and comes back, and takes no key of the page', async () => {
  const { seat, stored } = await open([1, 2].map((nth) => refundOf(nth * 1000, `p${nth}@example.com`)))
  await seat.reads('p1@example.com')
  await seat.page.keyboard.press('e')
  const amount = seat.page.locator('form.edit').getByRole('textbox').first()
  await amount.fill('5.00')
  await seat.open('p2@example.com')
  await seat.page.keyboard.press('r')
  const told = seat.page.getByRole('form', { name: 'Reject' }).getByRole('textbox').first()
  await told.fill('It came twice.')
  await seat.page.getByRole('link', { name: 'Grants' }).click()
  await seat.page.getByRole('heading', { name: 'Grants', level: 1 }).waitFor()
  await seat.page.goBack()
  await seat.reads('p2@example.com')
  expect(await told.inputValue()).toBe('It came twice.')
  await seat.page.keyboard.press('k')
  await seat.headline.filter({ hasText: 'p1@' }).waitFor()
  expect(await amount.inputValue()).toBe('5.00')
  await seat.page.keyboard.press('j')
  await seat.reads('p2@example.com')
  expect(await told.inputValue()).toBe('It came twice.')
  // What is there again rests as what is new does.
  await seat.quiet()
  await told.press('Control+Enter')
  await until(async () => (await stored(1)).decision === 'reject')
  expect(await stored()).toEqual({ status: 'open' })
})

describe.concurrent('editing a call', () => {
  it('an edit is checked, shows old and new and what the changed call would do, and runs as written', async () => {
    const { seat, changed, stored } = await open([refundOf(12_000)], { agents: [agentOf([])] })
    await seat.reads('€120.00')
    await seat.page.keyboard.press('e')
    const amount = seat.page.getByRole('textbox', { name: /^amount/i })
    await amount.waitFor()
    const send = seat.approve
    expect(await send.getAttribute('aria-disabled')).toBe('true')
    await seat.page.getByText('Nothing is changed yet.').waitFor()

    for (const wrong of ['900.00', '-1', 'ten', '1.234']) {
      await amount.fill(wrong)
      await seat.page.getByText('Correct what is marked first.').waitFor()
      expect(await amount.getAttribute('aria-invalid')).toBe('true')
      await amount.press('Control+Enter')
    }
    await seat.quiet()
    expect(await stored()).toEqual({ status: 'open' })

    await amount.fill('30.00')
    await seat.page.getByText('1 change. Runs now, once.').waitFor()
    expect(await seat.headline.locator('del').innerText()).toBe('€120.00')
    expect(await seat.headline.locator('ins').innerText()).toBe('€30.00')
    await seat.page
      .locator('#preview')
      .getByText(/97,?000/)
      .waitFor()
    expect(await send.getAttribute('aria-label')).toBe('Approve: Refund €30.00')
    await send.click()
    await until(async () => (await stored()).decision === 'edit')
    expect(await changed()).toMatchObject({ decision: { type: 'edit', args: { amount: 3000, to: 'ada@example.com' } } })
  })

  it('without the agents it says that there is no preview, and the edit can still be sent', async () => {
    const { seat, stored } = await open([refundOf(12_000)])
    await seat.reads('€120.00')
    await seat.verdict.getByRole('button', { name: /^Edit/ }).click()
    await seat.page.getByRole('textbox', { name: /^amount/i }).fill('30.00')
    await seat.page.getByText('Preview unavailable').waitFor()
    await seat.approve.click()
    await until(async () => (await stored()).decision === 'edit')
  })

  it('discarding an edit brings the call back as it was asked, and the focus to its headline', async () => {
    const { seat, stored } = await open([refundOf(12_000)])
    await seat.reads('€120.00')
    await seat.page.keyboard.press('e')
    await seat.page.getByRole('textbox', { name: /^amount/i }).fill('30.00')
    await seat.headline.locator('ins').waitFor()
    await seat.page.keyboard.press('Escape')
    await seat.headline.locator('ins').waitFor({ state: 'detached' })
    expect(await seat.approve.getAttribute('aria-label')).toBe('Approve: Refund €120.00')
    expect(await seat.page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await seat.page.keyboard.press('e')
    expect(await seat.page.getByRole('textbox', { name: /^amount/i }).inputValue()).toBe('120.00')
    expect(await stored()).toEqual({ status: 'open' })
  })
})

describe.concurrent('questions', () => {
  it('a form is sent when all that is required is answered, as it was filled in', async () => {
    const { seat, changed, stored } = await open([{ tool: 'set_up', args: {} }])
    await seat.page.getByRole('group', { name: /Where should the data live/ }).waitFor()
    await seat.rested()
    const send = seat.verdict.getByRole('button', { name: /^Send answers/ })
    await seat.page.getByText('2 questions still need an answer.').waitFor()
    await send.click({ force: true })
    await seat.page.getByRole('radio', { name: 'Somewhere else' }).check()
    await seat.page.getByLabel('Which?').fill('Oslo')
    await seat.page.getByRole('checkbox', { name: 'Orders' }).check()
    await seat.page.getByRole('checkbox', { name: 'Stock' }).check()
    await seat.page.getByRole('textbox', { name: /What is it called/ }).fill('Shop <b>One</b>')
    expect(await stored()).toEqual({ status: 'open' })
    await send.click()
    await until(async () => (await stored()).status === 'decided')
    expect(await changed()).toMatchObject({
      answer: { region: 'Oslo', modules: ['orders', 'stock'], name: 'Shop <b>One</b>' },
    })
  })

  it('who cannot answer a form says why: a reason is required, and the agent is told it', async () => {
    const { seat, changed, stored } = await open([{ tool: 'set_up', args: {} }, refundOf(4200)])
    await seat.page.getByRole('group', { name: /Where should the data live/ }).waitFor()
    await seat.rested()
    await seat.verdict.getByRole('button', { name: 'Can’t answer' }).click()
    const form = seat.page.getByRole('form', { name: 'Can’t answer' })
    const close = form.getByRole('button', { name: /^Close without an answer/ })
    await close.click({ force: true })
    await seat.quiet()
    expect(await stored()).toEqual({ status: 'open' })
    await form.getByRole('button', { name: 'I do not know.' }).click()
    await form.getByLabel('What the agent is told').press('End')
    await seat.page.keyboard.type(' Ask Zoe.')
    await close.click()
    await seat.reads('€42.00')
    expect((await stored()).status).toBe('cancelled')
    expect(await changed()).toMatchObject({ reason: 'I do not know. Ask Zoe.', by: { id: 'ann', via: 'link' } })
    await seat.page.getByRole('link', { name: 'Decisions' }).click()
    await seat.page.locator('[data-outcome=cancelled] summary').click()
    await seat.page.getByText('I do not know. Ask Zoe.').waitFor()
  })

  it.each([
    ['Yes', true],
    ['No', false],
  ] as const)('a confirmation is answered with %s by one press, never by Enter alone', async (name, value) => {
    const { seat, changed, stored } = await open([{ tool: 'close_count', args: { warehouse: 7 } }])
    await seat.reads('Close count 7?')
    await seat.page.keyboard.press('Enter')
    await seat.quiet()
    expect(await stored()).toEqual({ status: 'open' })
    await seat.verdict.getByRole('button', { name: `${name}: Close count 7?` }).click()
    await until(async () => (await stored()).status === 'decided')
    expect(await changed()).toMatchObject({ answer: value })
  })
})

describe.concurrent('grants', () => {
  it('an offer is off; switched on, the button and the note say how far it goes; it can be taken back', async () => {
    const { seat, server } = await open([refundOf(4200)])
    await seat.reads('€42.00')
    const offer = seat.page.getByRole('checkbox', { name: /^Always:/ })
    expect(await offer.isChecked()).toBe(false)
    await offer.check()
    await seat.verdict.getByText(/Then: .*at most 5 times/).waitFor()
    expect(await seat.approve.getAttribute('aria-label')).toBe('Approve: Refund €42.00 and allow')
    await seat.approve.click()
    const grants = async () => (await server.store.findGrants({ limit: 10 })).grants
    await until(async () => (await grants()).length === 1)
    await seat.page.goto(`${server.url}/#/grants`)
    await seat.page
      .getByRole('button', { name: /^Take back/ })
      .first()
      .click()
    const sure = seat.page.getByRole('dialog').getByRole('button', { name: /Take back/ })
    if (await sure.count()) await sure.click()
    await until(async () => (await grants()).every(({ revoked }) => revoked !== null && revoked !== undefined))
  })
})

describe.concurrent('deciding several at once', () => {
  const three = [1, 2, 3].map((nth) => refundOf(nth * 1000, `p${nth}@example.com`))
  const OUTCOMES = [{ by: 'ann' }, { by: 'bob' }, { by: 'ann' }]

  it('the check dialog lists exactly what was selected, and only that is decided', async () => {
    const wishes = [1, 2, 3, 4].map((nth) => refundOf(nth * 1000, `p${nth}@example.com`))
    const { seat, stored } = await open(wishes)
    await seat.reads('p1@example.com')
    for (const nth of [1, 3]) await seat.pick(`p${nth}@`)
    const bar = seat.page.getByRole('region', { name: 'Selection' })
    await bar.getByText('2 selected').waitFor()
    await bar.getByText('€40.00 in all').waitFor()
    await bar.getByRole('button', { name: /^Check and approve/ }).click()
    const dialog = seat.page.getByRole('dialog', { name: 'Approve these 2' })
    await dialog.waitFor()
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('p1@example.com'),
      expect.stringContaining('p3@example.com'),
    ])
    expect(seat.writes.filter((write) => write.includes('decide'))).toEqual([])
    await seat.rested()
    await dialog.getByRole('button', { name: /^Run 2/ }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await Promise.all([0, 1, 2, 3].map((at) => stored(at).then(({ status }) => status)))).toEqual([
      ...['decided', 'open', 'decided', 'open'],
    ])
    // One undo takes both back.
    await seat.page.keyboard.press('z')
    await until(async () => (await stored(0)).status === 'open' && (await stored(2)).status === 'open')
  })

  it('high risk, forms and questions are decided alone', async () => {
    const { seat } = await open([
      refundOf(1000),
      { tool: 'drop_table', args: { table: 'carts' } },
      { tool: 'close_count', args: { warehouse: 7 } },
    ])
    await seat.reads('€10.00')
    for (const text of ['Refund', 'Drop', 'Close']) await seat.pick(text)
    const bar = seat.page.getByRole('region', { name: 'Selection' })
    await bar.getByText('2 must be decided alone').waitFor()
    await bar.getByRole('button', { name: /^Check and approve/ }).click({ force: true })
    await seat.quiet()
    expect(await seat.page.getByRole('dialog').count()).toBe(0)
  })

  it('what somebody else decides while the dialog is open is left out, and said', async () => {
    const { seat, server, stored } = await open(three)
    const bob = await inbox.seat(server, { sub: 'bob' })
    await seat.reads('p1@example.com')
    for (const nth of [1, 2, 3]) await seat.pick(`p${nth}@`)
    await seat.page.getByRole('button', { name: /^Check and approve/ }).click()
    await seat.page.getByRole('dialog', { name: 'Approve these 3' }).waitFor()
    await bob.open('p2@example.com')
    await bob.approve.click()
    const dialog = seat.page.getByRole('dialog', { name: 'Approve these 2' })
    await dialog.getByText('changed meanwhile').waitFor()
    await dialog.getByRole('button', { name: /^Run 2/ }).click()
    await dialog.waitFor({ state: 'detached' })
    expect([await stored(0), await stored(1), await stored(2)]).toMatchObject(OUTCOMES)
  })

  it('the dialog stays while it is open, also when somebody else decides all that it lists', async () => {
    const { seat, server, ids } = await open(three)
    await seat.reads('p1@example.com')
    for (const nth of [1, 2]) await seat.pick(`p${nth}@`)
    await seat.page
      .getByRole('region', { name: 'Selection' })
      .getByRole('button', { name: /^Reject/ })
      .click()
    const dialog = seat.page.getByRole('dialog')
    await dialog.getByRole('textbox').first().fill('Both came twice.')
    const desk = openDesk({ store: server.store })
    for (const request of ids.slice(0, 2)) await desk.decide({ request, decision: { type: 'approve' }, by: 'bob' })
    await dialog.getByText('changed meanwhile').nth(1).waitFor()
    expect(await dialog.getByRole('textbox').first().inputValue()).toBe('Both came twice.')
    await dialog.locator('.btn-danger').click({ force: true })
    await seat.quiet()
    expect(await dialog.isVisible()).toBe(true)
    expect(seat.writes.filter((write) => write.includes('decide'))).toEqual([])
  })

  it('what the page has not heard of is left out by the server: the outcome says so', async () => {
    const server = await inbox.serve()
    const ids = await wish(server.store, ...three)
    const stored = (at: number) => storedOf(server.store, ids[at]!)
    const seat = await inbox.window(server.url)
    // The live connection never opens.
    await seat.page.route('**/v1/events*', () => undefined)
    await seat.page.goto(await server.link())
    await seat.reads('p1@example.com')
    for (const nth of [1, 2, 3]) await seat.pick(`p${nth}@`)
    await seat.page.getByRole('button', { name: /^Check and approve/ }).click()
    const dialog = seat.page.getByRole('dialog', { name: 'Approve these 3' })
    await dialog.waitFor()
    const bob = await inbox.seat(server, { sub: 'bob' })
    await bob.open('p2@example.com')
    await bob.approve.click()
    await until(async () => (await stored(1)).by === 'bob')
    await dialog.getByRole('button', { name: /^Run 3/ }).click()
    await seat.page.getByRole('alert').filter({ hasText: '1 request was left out' }).waitFor()
    expect([await stored(0), await stored(1), await stored(2)]).toMatchObject(OUTCOMES)
  })
})
