import { describe, expect, it, vi } from 'vitest'
import { until } from '../support/until.ts'
import { refundOf, storedOf, type Wish, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ maxConcurrency: 4 })

const inbox = useInbox()

async function open(...wishes: Wish[]) {
  const server = await inbox.serve()
  const ids = await wish(server.store, ...wishes)
  const seat = await inbox.seat(server)
  return { server, ids, seat, stored: (at = 0) => storedOf(server.store, ids[at]!) }
}

const OPEN = { status: 'open' }
const APPROVED = { status: 'decided', decision: 'approve', by: 'ann' }

describe.concurrent('deciding with the mouse', () => {
  it('a click approves, says how long it can be undone, and goes on to the next request', async () => {
    const { seat, stored } = await open(refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    await seat.reads('one@example.com')
    expect(await seat.approve.getAttribute('aria-label')).toBe('Approve: Refund €42.00')
    await seat.approve.click()
    await seat.reads('two@example.com')
    await seat.page.getByText('Approved: Refund €42.00 to one@example.com').first().waitFor()
    expect(await stored()).toEqual(APPROVED)
    expect(await stored(1)).toEqual(OPEN)
    // What comes next is not decided by a focus that stayed where approve was.
    expect(await seat.page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await seat.page.getByRole('button', { name: /^Undo/ }).click()
    await seat.reads('one@example.com')
    expect(await stored()).toMatchObject(OPEN)
  })

  it('at 1280 pixels, beside queue and context, the label of approve is not cut, and the bar keeps its height', async () => {
    const server = await inbox.serve()
    await wish(
      server.store,
      refundOf(4200),
      { tool: 'delete_rows', args: { rows: 1284, table: 'sessions_of_the_year' } },
      { tool: 'drop_table', args: { table: 'invoice_\u202efdp.exe of ada' } },
    )
    const seat = await inbox.seat(server, {}, { viewport: { width: 1280, height: 800 } })
    const heights = new Set<number>()
    for (const text of ['€42.00', 'Delete 1,284', 'Drop table']) {
      await seat.open(text)
      const label = seat.verdict.locator('.approve-label')
      const cut = await label.evaluate((each) => [
        each.scrollWidth - each.clientWidth,
        each.scrollHeight - each.clientHeight,
      ])
      expect([text, ...cut]).toEqual([text, 0, 0])
      heights.add((await seat.verdict.boundingBox())!.height)
    }
    expect(heights.size).toBe(1)
  })

  it('a double click decides once, and not the request that comes next', async () => {
    const { seat, stored } = await open(refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    await seat.reads('one@example.com')
    await seat.approve.dblclick()
    await seat.headline.filter({ hasText: 'two@example.com' }).waitFor()
    await seat.quiet()
    expect(await stored()).toEqual(APPROVED)
    expect(await stored(1)).toEqual(OPEN)
    expect(seat.writes.filter((write) => write.endsWith('/decide'))).toHaveLength(1)
  })

  it('verdicts rest for 400 ms after a request appears: clicks and keys do nothing', async () => {
    const { seat, stored } = await open(refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    await seat.reads('one@example.com')
    // Everything inside of one task of the page: however loaded the machine is, less than 400 ms pass.
    const took = await seat.page.evaluate(async () => {
      const began = performance.now()
      const other = [...document.querySelectorAll<HTMLAnchorElement>('a.row-link')].find((row) =>
        row.textContent?.includes('two@'),
      )
      other?.click()
      while (!document.querySelector('h1')?.textContent?.includes('two@')) await new Promise(requestAnimationFrame)
      const shown = performance.now()
      document.getElementById('approve')?.click()
      for (const key of ['a', 'Enter', 'r', 'e'])
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      return { all: performance.now() - began, since: performance.now() - shown }
    })
    expect(took.since).toBeLessThan(400)
    await seat.quiet()
    expect(await stored(1)).toEqual(OPEN)
    expect(await seat.page.getByRole('form').count()).toBe(0)
    await seat.rested()
    await seat.approve.click()
    await until(async () => (await stored(1)).status === 'decided')
  })

  it('Enter and Space on load decide nothing, and approve is never focused by itself', async () => {
    const { seat, stored } = await open(refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    await seat.reads('one@example.com')
    const focused = () => seat.page.evaluate(() => document.activeElement?.id)
    expect(await focused()).not.toBe('approve')
    for (const key of ['Enter', ' ', 'Enter']) await seat.page.keyboard.press(key)
    await seat.page.keyboard.press('j')
    await seat.reads('two@example.com')
    expect(await focused()).not.toBe('approve')
    for (const key of ['Enter', ' ', 'Enter']) await seat.page.keyboard.press(key)
    await seat.quiet()
    expect([await stored(), await stored(1)]).toEqual([OPEN, OPEN])
    expect(seat.writes.filter((write) => write.includes('decide'))).toEqual([])
  })

  it('a rejection tells the agent one thing and the record another', async () => {
    const { seat, server, ids, stored } = await open(refundOf(4200))
    await seat.reads('€42.00')
    await seat.verdict.getByRole('button', { name: /^Reject/ }).click()
    const form = seat.page.getByRole('form', { name: 'Reject' })
    await form.getByRole('button', { name: 'The amount is wrong.' }).click()
    await form.getByLabel('For the record').fill('Called Ada.')
    await form.getByRole('button', { name: /^Reject, run nothing/ }).click()
    await until(async () => (await stored()).status === 'decided')
    const { changed } = (await server.store.getRequest(ids[0]!))!
    expect(JSON.parse(changed!.body)).toMatchObject({
      decision: { type: 'reject', message: 'The amount is wrong.' },
      comment: 'Called Ada.',
    })
  })
})

describe.concurrent('deciding with the keyboard', () => {
  it('keys that follow one another at once act on the request that the one before led to, not on the one that was shown', async () => {
    const names = ['one', 'two', 'three', 'four']
    const { seat, stored } = await open(...names.map((name) => refundOf(4200, `${name}@example.com`)))
    await seat.reads('one@example.com')
    await seat.page.evaluate(async () => {
      // Between two keys runs what a key has led to, but no other task of the page.
      for (const key of ['j', 'j', 'k', 'j', 'j', 'x', 'a', 'Enter']) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
        await Promise.resolve()
      }
    })
    await seat.reads('four@example.com')
    expect(await seat.page.locator('.row').getByRole('checkbox', { checked: true }).count()).toBe(1)
    expect(await seat.page.locator('.row').filter({ hasText: 'four@' }).getByRole('checkbox').isChecked()).toBe(true)
    await seat.quiet()
    for (const at of names.keys()) expect(await stored(at)).toEqual(OPEN)
  })

  it('A arms and Enter confirms; A alone, Enter alone and Escape decide nothing; Z undoes', async () => {
    const { seat, stored } = await open(refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    const { keyboard } = seat.page
    await seat.reads('one@example.com')
    await keyboard.press('a')
    await seat.verdict.getByRole('button', { name: 'Press Enter to confirm' }).waitFor()
    await keyboard.press('a')
    await keyboard.press('Escape')
    await seat.approve.waitFor()
    await keyboard.press('Enter')
    await seat.quiet()
    expect(await stored()).toEqual(OPEN)
    await keyboard.press('a')
    await keyboard.press('Enter')
    await seat.reads('two@example.com')
    expect(await stored()).toEqual(APPROVED)
    await keyboard.press('z')
    await seat.reads('one@example.com')
    await until(async () => (await stored()).status === 'open')
  })

  it('R rejects, S answers in its place, and letters are text while somebody types', async () => {
    const { seat, stored } = await open(refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    const { keyboard } = seat.page
    await seat.reads('one@example.com')
    await keyboard.press('r')
    await seat.page.getByRole('form', { name: 'Reject' }).waitFor()
    await keyboard.type('a jar is zero')
    expect(await seat.page.getByLabel('What the agent is told').inputValue()).toBe('a jar is zero')
    await keyboard.press('Escape')
    await seat.verdict.waitFor()
    await keyboard.press('r')
    await keyboard.type('no')
    await keyboard.press('Control+Enter')
    await seat.reads('two@example.com')
    expect(await stored()).toEqual({ status: 'decided', decision: 'reject', by: 'ann' })
    await keyboard.press('s')
    await seat.page.getByLabel('The result that the agent reads').waitFor()
    await keyboard.press('Control+Enter')
    expect(await stored(1)).toEqual(OPEN)
    await keyboard.type('refunded by phone')
    await keyboard.press('Control+Enter')
    await until(async () => (await stored(1)).decision === 'respond')
  })

  it('the keyboard can be switched off, and ? shows it', async () => {
    const { seat, stored } = await open(refundOf(4200))
    const { keyboard } = seat.page
    await seat.reads('€42.00')
    await keyboard.press('?')
    const help = seat.page.getByRole('dialog', { name: 'Keyboard' })
    await help.waitFor()
    await help.getByLabel('Single keys act').uncheck()
    await keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    for (const key of ['a', 'Enter', 'r']) await keyboard.press(key)
    await seat.quiet()
    expect(await stored()).toEqual(OPEN)
    expect(await seat.page.getByRole('form', { name: 'Reject' }).count()).toBe(0)
  })
})

describe.concurrent('high risk', () => {
  it('a large number is typed before the button acts; keys do not approve', async () => {
    const { seat, stored } = await open({ tool: 'delete_rows', args: { rows: 1284, table: 'sessions' } })
    await seat.reads('Delete 1,284 rows')
    expect(await seat.approve.getAttribute('aria-label')).toMatch(/^Approve: Delete 1,284 rows/)
    for (const key of ['a', 'Enter']) await seat.page.keyboard.press(key)
    await seat.approve.click({ force: true })
    const word = seat.page.getByLabel(/^Type 1284/)
    await word.fill('1283')
    await word.press('Enter')
    await seat.approve.click({ force: true })
    await seat.quiet()
    expect(await stored()).toEqual(OPEN)
    await word.fill('1,284')
    await seat.approve.click()
    await until(async () => (await stored()).status === 'decided')
  })

  it('without a number the button is held: clicks, a short hold and a slip off it do nothing', async () => {
    const { seat, stored } = await open({ tool: 'drop_table', args: { table: 'carts' } })
    await seat.reads('Drop table carts')
    await seat.approve.dblclick()
    // With timers of the page itself: however loaded the machine is, they fire in this order.
    await seat.approve.evaluate(async (button) => {
      const point = (type: string) => button.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0 }))
      const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
      point('pointerdown')
      await pause(600)
      point('pointerup')
      point('pointerdown')
      await pause(600)
      point('pointerout')
      await pause(1300)
    })
    for (const key of ['a', 'Enter']) await seat.page.keyboard.press(key)
    await seat.approve.focus()
    await seat.page.keyboard.press('Enter')
    await seat.quiet()
    expect(await stored()).toEqual(OPEN)
    await seat.hold(seat.approve, 1500)
    await until(async () => (await stored()).status === 'decided')
  })

  it('the held key approves, too', async () => {
    const { seat, stored } = await open({ tool: 'drop_table', args: { table: 'carts' } })
    await seat.reads('Drop table carts')
    await seat.approve.focus()
    await seat.page.keyboard.down('Enter')
    await until(async () => (await stored()).status === 'decided')
    await seat.page.keyboard.up('Enter')
  })
})
