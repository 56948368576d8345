import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { sqliteStore } from '../../src/sqlite.ts'
import { type Running, start, tempDir } from '../cli/support/programs.ts'
import { demoAsked } from '../support/demo-asked.ts'
import { until } from '../support/until.ts'
import { storedOf } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ testTimeout: 240_000 })

const inbox = useInbox()
const LINK = /^(http:\/\/127\.0\.0\.1:(\d+))\/#code=\S+$/m

function serve(folder: string, port: string): Running {
  return start(folder, ['start', '--port', port], { HOLDPOINT_DATA: folder, HOLDPOINT_DEMO: 'fixed' })
}

it('kill -9 at the instant at which the page says that a decision is stored loses nothing, and the page goes on', async () => {
  const folder = tempDir()
  let running = serve(folder, '0')
  const [link = '', url = '', port = ''] = LINK.exec(await running.shows(LINK)) ?? []
  // The list of a page that opens earlier goes on changing.
  const asking = sqliteStore({ path: join(folder, 'holdpoint.db') })
  await demoAsked(asking)
  await asking.close()
  const seat = await inbox.window(url)
  await seat.page.goto(link)
  await until(async () => (await seat.rows.count()) > 8, 60_000)
  const decided: string[] = []
  for (let turn = 0; turn < 3; turn++) {
    // A row that was decided may still be in the list.
    const others = decided.map((id) => `:not([href$="/${id}"])`).join('')
    await seat.rows
      .filter({ hasText: 'Refund' })
      .and(seat.page.locator(`a${others}`))
      .first()
      .click()
    await seat.reads('Refund')
    const id = new URL(seat.page.url()).hash.replace('#/inbox/', '')
    const headline = await seat.headline.innerText()
    await seat.approve.click()
    await seat.page.getByText(`Approved: ${headline}`).first().waitFor()
    running.child.kill('SIGKILL')
    await running.ended
    decided.push(id)
    const store = sqliteStore({ path: join(folder, 'holdpoint.db') })
    expect(await storedOf(store, id)).toMatchObject({ status: 'decided', decision: 'approve' })
    await store.close()
    running = serve(folder, port)
    await running.shows(LINK)
    await seat.page.getByText('Live', { exact: true }).waitFor()
  }
  expect(new Set(decided).size).toBe(3)
  expect(seat.writes.filter((write) => write.endsWith('/decide'))).toHaveLength(3)
})
