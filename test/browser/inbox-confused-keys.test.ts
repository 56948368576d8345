import { describe, expect, it, vi } from 'vitest'
import { until } from '../support/until.ts'
import { storedOf, type Wish, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ maxConcurrency: 4 })

const inbox = useInbox()

async function open(...wishes: Wish[]) {
  const server = await inbox.serve()
  const ids = await wish(server.store, ...wishes)
  const seat = await inbox.seat(server)
  return { server, ids, seat, stored: (at = 0) => storedOf(server.store, ids[at]!) }
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
})
