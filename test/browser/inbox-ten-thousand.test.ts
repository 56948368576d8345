import { expect, it, vi } from 'vitest'
import { manyRequests } from '../support/stores/many-requests.ts'
import { until } from '../support/until.ts'
import { type Measured, measured } from './inbox/measure.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ testTimeout: 240_000 })

const inbox = useInbox()
const MANY = 10_000

/**
 * In milliseconds; `work` for each turn of the wheel and each key. A frame is 16 ms, and a quiet machine stays below 50. A list with an element for
 * each row takes seconds for a frame.
 */
const BUDGET = { frame: 150, input: 300, work: 60, elements: 3000 }

/** What others do on the machine only adds to a frame. So the page is smooth if one of these rounds is. */
const ROUNDS = 4

const isSmooth = ({ frame, input, work }: Measured, turns: number) =>
  frame < BUDGET.frame && input < BUDGET.input && work / turns < BUDGET.work

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

  const scroll = async () => {
    await list.evaluate((box) => box.scrollTo({ top: 0 }))
    await list.hover()
    for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, 1500)
    await until(() => list.evaluate((box) => box.scrollTop > 50_000))
  }
  const at = async () => Number.parseInt((await page.locator('.card-at').innerText()).replaceAll(',', ''), 10)
  const step = async () => {
    const before = await at()
    for (let turn = 0; turn < 30; turn++) await page.keyboard.press(turn % 3 === 2 ? 'k' : 'j')
    // Each key counts: twenty forwards, ten back.
    await until(async () => (await at()) === before + 10)
  }
  const figures: { scroll: Measured; step: Measured }[] = []
  const last = () => figures.at(-1)
  while (figures.length < ROUNDS && !(last() && isSmooth(last()!.scroll, 60) && isSmooth(last()!.step, 30))) {
    figures.push({ scroll: await measured(seat, scroll), step: await measured(seat, step) })
  }
  const { scroll: scrolling, step: stepping } = last()!
  expect(isSmooth(scrolling, 60) && isSmooth(stepping, 30), JSON.stringify(figures)).toBe(true)
  expect(scrolling.work).toBeGreaterThan(1)

  // From one end to the other at once.
  await list.evaluate((box) => box.scrollTo({ top: box.scrollHeight }))
  await until(async () => (await seat.rows.count()) > 5)
  expect(await list.evaluate((box) => box.scrollTop)).toBeGreaterThan(500_000)
  expect(await elements()).toBeLessThan(BUDGET.elements)
})
