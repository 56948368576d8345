import { describe, expect, it, vi } from 'vitest'
import { latch } from '../support/latch.ts'
import { soak } from '../support/soak.ts'
import { axeFindings } from './inbox/axe.ts'
import { agentOf, refundOf, wish } from './inbox/company.ts'
import { LOOKS } from './inbox/looks.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ testTimeout: 240_000, maxConcurrency: 2 })

const inbox = useInbox()
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']

describe.concurrent('axe finds nothing', () => {
  it.each(LOOKS.slice(0, soak.times(2, LOOKS.length)))(
    'in $theme, $language, $width px: signing in, the queue, every kind of request and every state of one',
    async ({ theme, language, width }) => {
      const server = await inbox.serve({ agents: [agentOf([])] })
      const seat = await inbox.window(server.url, { viewport: { width, height: 900 } })
      const { page } = seat
      const found: string[] = []
      const look = async (what: string) => {
        found.push(...(await axeFindings(page, TAGS)).map((finding) => `${what}: ${finding}`))
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (over > 0) found.push(`${what}: ${over} pixels too wide`)
      }
      await page.addInitScript(
        (chosen) => localStorage.setItem('holdpoint.preferences', chosen),
        JSON.stringify({ theme, language }),
      )
      await page.goto(server.url)
      await page.locator('input[type=password]').waitFor()
      await look('signing in')
      await page.goto(await server.link())
      await page.locator('.empty h1').waitFor()
      await look('nothing waits')

      const hidden = 'ada\u202e@example.com'
      const ids = await wish(
        server.store,
        refundOf(12_000, 'ada@example.com'),
        { tool: 'delete_rows', args: { rows: 1284, table: 'sessions' } },
        { tool: 'drop_table', args: { table: `carts ${hidden}` } },
        { tool: 'set_up', args: {} },
        { tool: 'close_count', args: { warehouse: 7 } },
        refundOf(4200, 'bob@example.com', { timeoutSeconds: 3600, reviewers: ['user:zoe'] }),
      )
      await page.reload()
      for (const [at, id] of ids.slice(0, 5).entries()) {
        await page.goto(`${server.url}/#/inbox/${id}`)
        await page.locator('#request article:not([aria-busy])').waitFor()
        await seat.rested()
        await look(`request ${at}`)
      }
      await page.goto(`${server.url}/#/inbox/${ids[0]}`)
      await page.locator('#approve').waitFor()
      await seat.rested()
      await page.keyboard.press('e')
      await page.locator('form.edit input').first().fill('9999999')
      await page.locator('.hint-bad').first().waitFor()
      await look('editing')
      await page.keyboard.press('Escape')
      await page.keyboard.press('r')
      await page.locator('.verdict-panel').waitFor()
      await look('rejecting')
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      await look('keyboard')
      await page.keyboard.press('Escape')
      await seat.context.setOffline(true)
      await page.locator('.banner').waitFor()
      await look('offline')
      await seat.context.setOffline(false)
      await page.locator('.banner').waitFor({ state: 'detached' })
      await page.locator('#approve').click()
      await page.locator('.toast').waitFor()
      await look('undo')
      await page.goto(`${server.url}/#/inbox/${ids[0]}`)
      await page.locator('.notice').first().waitFor()
      await look('decided')
      const answered = latch()
      await page.route('**/v1/requests/none*', async (route) => {
        await answered.passed
        await route.continue()
      })
      await page.goto(`${server.url}/#/inbox/none`)
      await page.locator('#request .card-skeleton').waitFor()
      await look('loading')
      answered.open()
      await page.locator('#request .card-skeleton').waitFor({ state: 'detached' })
      await look('no such request')
      await page.goto(`${server.url}/#/inbox`)
      await page.locator('.row').first().waitFor()
      await page.locator('.row:not([data-settled]) .pick input').first().check({ force: true })
      await page.locator('.bulk').waitFor()
      await look('selection')
      expect(found).toEqual([])
    },
  )
})
