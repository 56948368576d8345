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

const refunds = (...names: string[]) => names.map((name) => refundOf(4200, `${name}@example.com`))

const OPEN = { status: 'open' }

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
