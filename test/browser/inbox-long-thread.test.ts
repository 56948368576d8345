import { describe, expect, it, vi } from 'vitest'
import { longRun } from '../support/gateway/long-threads.ts'
import { soak } from '../support/soak.ts'
import { axeFindings } from './inbox/axe.ts'
import { LOOKS } from './inbox/looks.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ testTimeout: 240_000, maxConcurrency: 2 })

const inbox = useInbox()
const SOON = { timeout: 60_000 }
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']

describe.concurrent('a long thread', () => {
  it('opens with its last steps, and shows earlier ones by the mouse and by scrolling, at the place that was read', async () => {
    const server = await inbox.serve()
    await longRun(server.store, 'long', 200)
    const { page, requested } = await inbox.seat(server)
    await page.goto(`${server.url}/#/thread/long`)
    const steps = page.locator('.step')
    await steps.last().getByText('Waits for a decision').waitFor()
    const shown = await steps.count()
    expect(shown).toBeLessThan(50)
    const top = await steps.first().innerText()
    const earlier = page.getByRole('button', { name: 'Show earlier steps' })

    await earlier.click()
    await vi.waitUntil(async () => (await steps.count()) > shown, SOON)
    const more = await steps.count()
    expect(more - shown).toBeGreaterThanOrEqual(100)
    // What was read is still in view, and the step before it is there now.
    expect(await steps.nth(more - shown).innerText()).toBe(top)
    expect(await inView(page, more - shown)).toBe(true)
    expect(await inView(page, more - shown - 1)).toBe(true)
    expect(await inView(page, 0)).toBe(false)

    // From now on scrolling up is enough, page by page.
    await page.locator('.page').hover()
    await vi.waitUntil(async () => {
      await page.mouse.wheel(0, -2000)
      return (await page.getByText('please', { exact: true }).count()) > 0
    }, SOON)
    await earlier.waitFor({ state: 'detached' })
    expect(await steps.first().innerText()).toContain('please')
    const loads = requested.filter((url) => url.includes('/v1/threads/long'))
    expect(loads.filter((url) => url.includes('before='))).toHaveLength(4)
    expect(await steps.count()).toBe(403)
  })

  it('is read by the keyboard: the focus goes to the nearest of the earlier steps, and a broken line is said', async () => {
    const server = await inbox.serve()
    await longRun(server.store, 'long', 100)
    const { page, context } = await inbox.seat(server)
    await page.goto(`${server.url}/#/thread/long`)
    const steps = page.locator('.step')
    await steps.last().waitFor()
    const shown = await steps.count()
    const earlier = page.getByRole('button', { name: 'Show earlier steps' })
    await context.setOffline(true)
    await earlier.focus()
    await page.keyboard.press('Enter')
    await page.locator('.page [role=alert]').getByText('The server did not answer.').waitFor({ timeout: 60_000 })
    await context.setOffline(false)
    await earlier.focus()
    await page.keyboard.press('Enter')
    await vi.waitUntil(async () => (await steps.count()) > shown, SOON)
    const added = (await steps.count()) - shown
    await page.getByRole('status').getByText(`${added} earlier steps shown.`).waitFor({ state: 'attached' })
    const focused = await page.evaluate(() =>
      [...document.querySelectorAll('.step-body')].indexOf(document.activeElement!),
    )
    expect(focused).toBe(added - 1)
    expect(await inView(page, added - 1)).toBe(true)
  })

  it.each(LOOKS.slice(0, soak.times(2, LOOKS.length)))(
    'has nothing that axe finds, and fits, in $theme, $language, $width px',
    async ({ theme, language, width }) => {
      const server = await inbox.serve()
      await longRun(server.store, 'long', 70)
      const { page } = await inbox.seat(server, {}, { viewport: { width, height: 900 } })
      await page.addInitScript(
        (chosen) => localStorage.setItem('holdpoint.preferences', chosen),
        JSON.stringify({ theme, language }),
      )
      await page.goto(`${server.url}/#/thread/long`)
      await page.reload()
      const found: string[] = []
      const look = async (what: string) => {
        found.push(...(await axeFindings(page, TAGS)).map((finding) => `${what}: ${finding}`))
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (over > 0) found.push(`${what}: ${over} pixels too wide`)
      }
      const earlier = page.getByRole('button', { name: language === 'zh' ? '显示更早的步骤' : 'Show earlier steps' })
      await earlier.waitFor()
      await look('the end')
      const shown = await page.locator('.step').count()
      await earlier.click()
      await vi.waitUntil(async () => (await page.locator('.step').count()) > shown, SOON)
      await look('earlier steps')
      expect(found).toEqual([])
    },
  )
})

/** Whether a step is in view, at least in part. */
function inView(page: Awaited<ReturnType<typeof inbox.seat>>['page'], nth: number): Promise<boolean> {
  return page
    .locator('.step')
    .nth(nth)
    .evaluate((step) => {
      const { top, bottom } = step.getBoundingClientRect()
      const frame = step.closest('.page')!.getBoundingClientRect()
      return bottom > frame.top && top < frame.bottom
    })
}
