import { expect, it, vi } from 'vitest'
import { manyRequests } from '../support/stores/many-requests.ts'
import { until } from '../support/until.ts'
import { useInbox } from './inbox/scene.ts'
import type { Seat } from './inbox/seat.ts'

vi.setConfig({ testTimeout: 240_000 })

const inbox = useInbox()
const MANY = 10_000

/**
 * Generous, for two cores that others use, too: a frame is 16 ms, and a quiet machine stays below 50. A list with an element for each row takes seconds
 * for a frame.
 */
const BUDGET = { frameP95: 150, inputP95: 300, elements: 3000 }

interface Measured {
  /** Times between frames, in milliseconds. */
  frames: number[]
  /** Times from an input to the next frame, in milliseconds. */
  inputs: number[]
}

/** Starts to measure frames and input delays in the page. */
async function measure({ page }: Seat): Promise<() => Promise<Measured>> {
  await page.evaluate(() => {
    const measured = { frames: [] as number[], inputs: [] as number[], running: true }
    Object.assign(globalThis, { measured })
    let last = performance.now()
    const frame = (now: number) => {
      measured.frames.push(now - last)
      last = now
      if (measured.running) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) measured.inputs.push(duration)
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  })
  return () =>
    page.evaluate(() => {
      const { measured } = globalThis as unknown as { measured: Measured & { running: boolean } }
      measured.running = false
      return { frames: measured.frames, inputs: measured.inputs }
    })
}

const p95 = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0

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

  const scrolled = await measure(seat)
  await list.hover()
  for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, 1500)
  await until(() => list.evaluate((box) => box.scrollTop > 50_000))
  const scrolling = await scrolled()

  const stepped = await measure(seat)
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

  const figures = {
    scroll: { frames: scrolling.frames.length, p95: p95(scrolling.frames), input: p95(scrolling.inputs) },
    step: { frames: stepping.frames.length, p95: p95(stepping.frames), input: p95(stepping.inputs) },
  }
  expect(figures.scroll.frames).toBeGreaterThan(10)
  expect(figures.scroll.p95).toBeLessThan(BUDGET.frameP95)
  expect(figures.step.p95).toBeLessThan(BUDGET.frameP95)
  expect(figures.step.input).toBeLessThan(BUDGET.inputP95)
})
