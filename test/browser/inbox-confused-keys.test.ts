import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { openDesk } from '../../src/index.ts'
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

const refunds = (...names: string[]) => names.map((name) => refundOf(4200, `${name}@example.com`))

const OPEN = { status: 'open' }

/** Types with an input method, which has not ended the word yet. */
async function compose(page: Page, text: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
  await devtools.detach()
}

/** Presses a key of the page as a keyboard tells it. */
const press = (page: Page, ...keys: { key: string; code?: string; repeat?: boolean }[]) =>
  page.evaluate((given) => {
    for (const key of given) document.body.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true }))
  }, keys)

/** Lets decisions wait until they are let through. */
async function slowly(page: Page): Promise<() => void> {
  let go = () => {}
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  await page.route('**/decide', async (route) => {
    await gone
    await route.continue()
  })
  return go
}

describe.concurrent('Enter', () => {
  it('gives the answer of the key that was pressed last, and only that one is shown as armed', async () => {
    const { seat, server, ids, stored } = await open({ tool: 'close_count', args: { warehouse: 7 } })
    await seat.reads('Close count 7?')
    const armed = seat.verdict.locator('[data-armed]')
    for (const key of ['a', 'r', 'a', 'r']) {
      await seat.page.keyboard.press(key)
      expect(await armed.count()).toBe(1)
    }
    await seat.page.keyboard.press('Enter')
    await until(async () => (await stored()).status === 'decided')
    expect(JSON.parse((await server.store.getRequest(ids[0]!))!.changed!.body)).toMatchObject({ answer: false })
  })

  it('on the row of another request opens that one, and does not decide the one whose approval is armed', async () => {
    const { seat, stored } = await open(...refunds('one', 'two'))
    await seat.reads('one@example.com')
    await seat.page.keyboard.press('a')
    await seat.verdict.getByRole('button', { name: /Press Enter/ }).waitFor()
    await seat.rows.filter({ hasText: 'two@' }).focus()
    await seat.page.keyboard.press('Enter')
    await seat.reads('two@example.com')
    await seat.quiet()
    expect([await stored(), await stored(1)]).toEqual([OPEN, OPEN])
    // The row that is being read has the focus after a click on it.
    await seat.open('one@')
    for (const key of ['a', 'Enter']) await seat.page.keyboard.press(key)
    await until(async () => (await stored()).status === 'decided')
    expect(await stored(1)).toEqual(OPEN)
  })
})

it('words that were meant for another window arm nothing for the Enter that ends them', async () => {
  const { seat, stored } = await open(refundOf(4200))
  await seat.reads('€42.00')
  await seat.page.keyboard.type('I will call you')
  await seat.page.keyboard.press('Enter')
  await seat.page.keyboard.press('a')
  await seat.page.evaluate(() => dispatchEvent(new FocusEvent('blur')))
  await seat.page.keyboard.press('Enter')
  await seat.quiet()
  expect(await stored()).toEqual(OPEN)
  // Reading on disarms nothing.
  for (const key of ['a', 'Space', 'ArrowDown', 'Enter']) await seat.page.keyboard.press(key)
  await until(async () => (await stored()).status === 'decided')
})

it('Escape ends one thing: the form that is open before the selection', async () => {
  const { seat } = await open(...refunds('one', 'two'))
  await seat.reads('one@example.com')
  const picked = seat.page.locator('.row').getByRole('checkbox', { checked: true })
  const form = seat.page.locator('form.verdict, form.edit')
  for (const key of ['x', 'j']) await seat.page.keyboard.press(key)
  await seat.reads('two@example.com')
  for (const key of ['r', 'e']) {
    await seat.page.keyboard.press(key)
    await form.waitFor()
    await seat.page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    expect(await picked.count()).toBe(1)
    await seat.rested()
  }
  await seat.page.keyboard.press('Escape')
  await picked.waitFor({ state: 'detached' })
})

describe.concurrent('an input method', () => {
  it('ends a word with Enter: the word is typed, and nothing is approved', async () => {
    const { seat, stored } = await open({ tool: 'delete_rows', args: { rows: 1284, table: 'users' } })
    await seat.reads('Delete 1,284')
    const field = seat.verdict.getByRole('textbox')
    await field.focus()
    await compose(seat.page, '1284')
    expect(await field.inputValue()).toBe('1284')
    await seat.page.keyboard.press('Enter')
    await seat.quiet()
    expect(await stored()).toEqual(OPEN)
    await field.fill('1284')
    await field.press('Enter')
    await until(async () => (await stored()).status === 'decided')
  })

  it('ends a word with Escape: what was typed before it stays', async () => {
    const { seat } = await open(refundOf(4200))
    await seat.reads('€42.00')
    await seat.page.keyboard.press('r')
    const told = seat.page.getByRole('form', { name: 'Reject' }).getByRole('textbox').first()
    await told.fill('Not this one. ')
    await compose(seat.page, 'ni')
    await seat.page.keyboard.press('Escape')
    expect(await told.inputValue()).toMatch(/^Not this one\. /)
  })
})

describe.concurrent('keys of the page', () => {
  it('rest while a dialog is open, also if nothing in it has the focus', async () => {
    const { seat } = await open(...refunds('one', 'two'))
    await seat.reads('one@example.com')
    await seat.page.keyboard.press('?')
    await seat.page.getByRole('dialog').waitFor()
    await seat.page.evaluate(() => (document.activeElement as HTMLElement).blur())
    for (const key of ['j', 'x', 'a', 'Enter']) await seat.page.keyboard.press(key)
    await seat.page.keyboard.press('Escape')
    await seat.page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await seat.headline.textContent()).toContain('one@example.com')
    expect(await seat.page.locator('.row').getByRole('checkbox', { checked: true }).count()).toBe(0)
    expect(await seat.verdict.locator('[data-armed]').count()).toBe(0)
  })

  it('act once while they are held, except those that step; letters of another script act by their place', async () => {
    const { seat, stored } = await open(...refunds('one', 'two', 'three'))
    await seat.reads('one@example.com')
    const picked = seat.page.locator('.row').getByRole('checkbox', { checked: true })
    await press(seat.page, { key: 'x' }, { key: 'x', repeat: true })
    expect(await picked.count()).toBe(1)
    await press(seat.page, { key: 'a', repeat: true }, { key: 'Enter', repeat: true })
    expect(await seat.verdict.locator('[data-armed]').count()).toBe(0)
    // The key of J in Russian, held.
    await press(seat.page, { key: 'о', code: 'KeyJ' })
    await seat.headline.filter({ hasText: 'two@' }).waitFor()
    await press(seat.page, { key: 'о', code: 'KeyJ', repeat: true })
    await seat.headline.filter({ hasText: 'three@' }).waitFor()
    // With AltGr some letters of Polish are made.
    await press(seat.page, { key: 'ą', code: 'KeyA' }, { key: 'Enter' })
    await seat.quiet()
    expect(await stored(2)).toEqual(OPEN)
  })

  it('do nothing while a person types on after somebody else decided, and the field is gone', async () => {
    const { seat, server, ids, stored } = await open(...refunds('one', 'two', 'three'))
    await seat.reads('one@example.com')
    await seat.page.keyboard.press('r')
    await seat.page.keyboard.type('No: ')
    const form = seat.page.getByRole('form', { name: 'Reject' })
    // All letters that follow are typed by the page itself, at once: none of them comes after a pause, however busy the machine is.
    const typing = seat.page.evaluate(async () => {
      const type = (target: Element, init: KeyboardEventInit) =>
        target.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }))
      const field = document.activeElement!
      while (field.isConnected) {
        type(field, { key: '.' })
        await new Promise(requestAnimationFrame)
      }
      for (const key of 'join us for more and') type(document.body, { key })
      // What the browser does with a key, such as to load the page anew, it does.
      return [{ key: 'r', ctrlKey: true }, { key: 'F5' }, { key: 'x' }, { key: 'Enter' }].map((key) =>
        type(document.body, key),
      )
    })
    await openDesk({ store: server.store }).decide({ request: ids[0]!, decision: { type: 'approve' }, by: 'bob' })
    const lets = await typing
    expect(lets).toEqual([true, true, false, false])
    expect(await form.count()).toBe(0)
    await seat.quiet()
    expect(await seat.headline.textContent()).toContain('one@example.com')
    expect([await stored(1), await stored(2)]).toEqual([OPEN, OPEN])
    // Whoever has stopped typing goes on.
    await seat.quiet(1100)
    await seat.page.keyboard.press('j')
    await seat.headline.filter({ hasText: 'two@' }).waitFor()
  })
})

describe.concurrent('the search', () => {
  it('is left with Escape alone: an edit that is open, and what is selected, stay', async () => {
    const { seat } = await open(...refunds('one', 'two'))
    await seat.reads('one@example.com')
    await seat.page.keyboard.press('x')
    await seat.page.keyboard.press('e')
    const amount = seat.page.locator('form.edit').getByRole('textbox').first()
    await amount.fill('77')
    await seat.page.getByRole('searchbox').fill('one')
    await seat.page.getByRole('searchbox').press('Escape')
    expect(await seat.page.getByRole('searchbox').inputValue()).toBe('')
    expect(await amount.inputValue()).toBe('77')
    expect(await seat.page.locator('.row').getByRole('checkbox', { checked: true }).count()).toBe(1)
  })

  it('keeps the focus when a decision is stored meanwhile: what is typed on is no key of the next request', async () => {
    const { seat, stored } = await open(...refunds('one', 'two'))
    await seat.reads('one@example.com')
    const store = await slowly(seat.page)
    for (const key of ['a', 'Enter', '/']) await seat.page.keyboard.press(key)
    await seat.page.keyboard.type('tw')
    // While the queue is being loaded, nothing comes next.
    await until(async () => (await seat.rows.count()) === 1)
    store()
    await seat.reads('two@example.com')
    await seat.page.keyboard.type('oa')
    await seat.page.keyboard.press('Enter')
    await seat.quiet()
    expect(await seat.page.getByRole('searchbox').inputValue()).toBe('twoa')
    expect(await stored(1)).toEqual(OPEN)
  })
})

it('after a decision that took long to store, what still waits is shown, not what somebody else decided meanwhile', async () => {
  const { seat, server, ids } = await open(...refunds('one', 'two', 'three'))
  await seat.reads('one@example.com')
  const store = await slowly(seat.page)
  for (const key of ['a', 'Enter']) await seat.page.keyboard.press(key)
  await openDesk({ store: server.store }).decide({ request: ids[1]!, decision: { type: 'approve' }, by: 'bob' })
  await seat.page.locator('.row[data-settled]').filter({ hasText: 'two@' }).waitFor()
  store()
  await seat.reads('three@example.com')
})
