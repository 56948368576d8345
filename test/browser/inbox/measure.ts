import type { Seat } from './seat.ts'

/** What a page did between two moments, in milliseconds. */
export interface Measured {
  /** Between two frames: 95 of 100 are shorter. */
  frame: number
  /** From an input to the next frame: 95 of 100 are shorter. Inputs below 16 ms are not told. */
  input: number
  /** Processor time of the page's main thread, whatever else the machine does. */
  work: number
}

interface Timings {
  frames: number[]
  inputs: number[]
  stop: () => void
}

/** Measures frames, input delays and work of a page while it is used. */
export async function measured({ page }: Seat, use: () => Promise<void>): Promise<Measured> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const spent = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  await page.evaluate(() => {
    const timings: Timings = { frames: [], inputs: [], stop: () => undefined }
    Object.assign(globalThis, { timings })
    let last = performance.now()
    let running = true
    const frame = (now: number) => {
      timings.frames.push(now - last)
      last = now
      if (running) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) timings.inputs.push(duration)
    })
    observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
    timings.stop = () => {
      running = false
      observer.disconnect()
    }
  })
  const before = await spent()
  await use()
  const work = (await spent()) - before
  const { frames, inputs } = await page.evaluate(() => {
    const { timings } = globalThis as unknown as { timings: Timings }
    timings.stop()
    return { frames: timings.frames, inputs: timings.inputs }
  })
  await devtools.detach()
  return { frame: p95(frames), input: p95(inputs), work }
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
}
