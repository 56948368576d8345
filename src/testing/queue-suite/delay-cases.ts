import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueCase } from './queue-case.ts'
import { onQueue, record, wake } from './tools.ts'

/** The clocks of the engine and of this process may round differently. */
const ROUNDING_MS = 5

/** Delays. */
export const delayCases: readonly QueueCase[] = [
  {
    name: 'nothing is handed out before its delay',
    guarantee: 'Q3',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const began = performance.now()
        const at = new Map<string, number>()
        const consumer = await record(queue, 'r', {
          handle: async ({ threadId }) => void at.set(threadId, performance.now() - began),
        })
        const delays = [300, 600, 450]
        await Promise.all(delays.map((delayMs) => queue.ring(wake(`t${delayMs}`), { delayMs })))
        await until(() => at.size === delays.length, 'the hand-outs')
        for (const delay of delays) {
          assert.ok(
            at.get(`t${delay}`)! >= delay - ROUNDING_MS,
            `handed out after ${at.get(`t${delay}`)} ms of ${delay}`,
          )
        }
        assert.equal(consumer.seen.length, delays.length)
      }),
  },
  {
    name: 'a ring without a delay does not wait for one that has one',
    guarantee: 'Q3',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const consumer = await record(queue)
        await queue.ring(wake('t'), { delayMs: 600_000 })
        await queue.ring(wake('t'))
        await until(() => consumer.seen.length > 0, 'the hand-out')
      }),
  },
  {
    name: 'a delayed ring does not postpone one that waits or comes earlier',
    guarantee: 'Q3',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        await queue.ring(wake('now'))
        await queue.ring(wake('now'), { delayMs: 600_000 })
        await queue.ring(wake('soon'), { delayMs: 200 })
        await queue.ring(wake('soon'), { delayMs: 600_000 })
        const consumer = await record(queue)
        await until(() => new Set(consumer.threads()).size === 2, 'both hand-outs')
      }),
  },
  {
    name: 'a delayed ring is handed out although its thread was handed out meanwhile',
    guarantee: 'Q3',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const began = performance.now()
        const at: number[] = []
        await record(queue, 'r', { handle: async () => void at.push(performance.now() - began) })
        await queue.ring(wake('t'), { delayMs: 500 })
        await queue.ring(wake('t'))
        await until(() => at.length >= 2, 'the second hand-out')
        await sleep(0)
        assert.ok(at.at(-1)! >= 500 - ROUNDING_MS, `the second hand-out came after ${at.at(-1)} ms`)
      }),
  },
]
