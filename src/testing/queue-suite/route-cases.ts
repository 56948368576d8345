import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueCase } from './queue-case.ts'
import { gate, onQueue, QUIET_MS, record, wake } from './tools.ts'

/** Routes that differ only in what an engine may not keep apart. */
const ROUTES = ['a', 'A', 'a:b', 'a%3Ab', 'a b', '["mail","1.0.0"]', '["mail",null]', 'ü\u{1f600}', 'x'.repeat(400)]

/** Routes and concurrency. */
export const routeCases: readonly QueueCase[] = [
  {
    name: 'a wake-up goes only to a consumer of its route, whatever the routes are named',
    guarantee: 'Q4',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const consumers = await Promise.all(ROUTES.map((route) => record(queue, route)))
        await Promise.all(ROUTES.map((route) => queue.ring(wake('t', route))))
        await until(() => consumers.every(({ seen }) => seen.length > 0), 'a hand-out at each consumer')
        for (const [n, { seen }] of consumers.entries()) assert.deepEqual(seen, [wake('t', ROUTES[n])])
      }),
  },
  {
    name: 'a wake-up waits until somebody consumes its route',
    guarantee: 'Q4',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const other = await record(queue, 'other')
        await queue.ring(wake('t', 'later'))
        await queue.ring(wake('t', 'other'))
        await until(() => other.seen.length > 0, 'the hand-out of the other route')
        await sleep(QUIET_MS)
        assert.deepEqual(other.seen, [wake('t', 'other')])
        const later = await record(queue, 'later')
        await until(() => later.seen.length > 0, 'the hand-out')
        assert.deepEqual(later.seen, [wake('t', 'later')])
      }),
  },
  {
    name: 'a consumer of several routes is handed the wake-ups of each, one thread on two routes as two',
    guarantee: 'Q4',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        for (const route of ['a', 'b', 'c']) await queue.ring(wake('t', route))
        const consumer = await record(queue, ['a', 'b', 'b'])
        await until(() => consumer.seen.length >= 2, 'both hand-outs')
        await sleep(QUIET_MS)
        assert.deepEqual(consumer.seen.map(({ route }) => route).sort(), ['a', 'b'])
      }),
  },
  {
    name: 'no more handlers run at once than the consumer allows, over all its routes',
    guarantee: 'Q4',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const { opened, open } = gate()
        let running = 0
        let most = 0
        const handle = async () => {
          most = Math.max(most, ++running)
          await opened
          running--
        }
        const consumer = await record(queue, ['a', 'b', 'c'], { concurrency: 2, handle })
        for (const route of ['a', 'b', 'c']) for (const id of ['1', '2']) await queue.ring(wake(id, route))
        await until(() => running === 2, 'two handlers at once')
        await sleep(QUIET_MS)
        open()
        await until(() => consumer.seen.length >= 6, 'all hand-outs')
        assert.equal(most, 2)
      }),
  },
]
