import { expect, it, vi } from 'vitest'
import { manyRequests } from '../support/stores/many-requests.ts'
import { until } from '../support/until.ts'
import { useInbox } from './inbox/scene.ts'
import type { Seat } from './inbox/seat.ts'

vi.setConfig({ testTimeout: 240_000 })

const inbox = useInbox()
const MANY = 10_000

/**
 * Processor time of the page's main thread, in milliseconds for each turn of the wheel and each key, whatever else the machine does. A list with an
 * element for each row takes seconds for one.
 */
const BUDGET = { scroll: 60, step: 60, elements: 3000 }

/** Starts to count the processor time of the page's main thread. */
async function work({ page }: Seat): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const spent = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  const before = await spent()
  return async () => (await spent()) - before
}

it('ten thousand open requests scroll and are stepped through without jank', async () => {
  const server = await inbox.serve()
  await manyRequests(server.store, MANY, (nth) => ({
    risk: nth % 3 === 0 ? 'high' : 'low',
    threadId: `order-${nth % 2000}`,
  }))
  const seat = await inbox.seat(server)
  const { page } = seat
  await until(
    async () =>
      (
        await page
          .locator('.card-at')
          .innerText()
          .catch(() => '')
      ).includes('10,000'),
    120_000,
  )
  const list = page.getByRole('region', { name: 'Waiting requests' })
  const elements = () => list.evaluate((box) => box.querySelectorAll('*').length)
  expect(await elements()).toBeLessThan(BUDGET.elements)

  const scrolled = await work(seat)
  await list.hover()
  for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, 1500)
  await until(() => list.evaluate((box) => box.scrollTop > 50_000))
  const scrolling = await scrolled()

  const stepped = await work(seat)
  const place = page.locator('.card-at')
  const before = await place.innerText()
  for (let turn = 0; turn < 30; turn++) await page.keyboard.press(turn % 3 === 2 ? 'k' : 'j')
  await until(async () => (await place.innerText()) !== before)
  await page.keyboard.press('End')
  const stepping = await stepped()

  // From one end to the other at once.
  await list.evaluate((box) => box.scrollTo({ top: box.scrollHeight }))
  await until(async () => (await seat.rows.count()) > 5)
  expect(await list.evaluate((box) => box.scrollTop)).toBeGreaterThan(500_000)
  expect(await elements()).toBeLessThan(BUDGET.elements)

  expect(scrolling / 60).toBeLessThan(BUDGET.scroll)
  expect(stepping / 30).toBeLessThan(BUDGET.step)
  // It was counted at all.
  expect(scrolling).toBeGreaterThan(1)
})
