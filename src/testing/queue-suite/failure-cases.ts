import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueCase } from './queue-case.ts'
import { assertCode, gate, needed, onQueue, onTwoHandles, QUIET_MS, record, wake } from './tools.ts'

/** Handlers that reject or die, consumers that stop, engines that are away. */
export const failureCases: readonly QueueCase[] = [
  {
    name: 'a wake-up whose handler rejects is handed out again, and the error is reported',
    guarantee: 'Q5',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        let failures = 2
        const failure = new Error('not now')
        const consumer = await record(queue, 'r', {
          handle: async () => {
            if (failures-- > 0) throw failure
          },
        })
        await queue.ring(wake('t'))
        await until(() => consumer.seen.length >= 3, 'the third hand-out')
        await sleep(QUIET_MS)
        assert.deepEqual(consumer.seen, [wake('t'), wake('t'), wake('t')])
        assert.equal(consumer.errors.filter((error) => error === failure).length, 2)
      }),
  },
  {
    name: 'a ring after a rejection does not wait for ever behind it',
    guarantee: 'Q5',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        let fail = true
        const consumer = await record(queue, 'r', {
          handle: async () => {
            if (fail) throw new Error('not now')
          },
        })
        await queue.ring(wake('t'))
        await until(() => consumer.seen.length === 1, 'the first hand-out')
        fail = false
        await queue.ring(wake('t'))
        await until(() => consumer.seen.length >= 2, 'another hand-out')
      }),
  },
  {
    name: 'a wake-up whose process dies is handed out again',
    guarantee: 'Q5',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const takeAndDie = needed(harness, 'takeAndDie')
        await queue.ring(wake('t'))
        await takeAndDie(queue, 'r')
        const consumer = await record(queue)
        await until(() => consumer.seen.length > 0, 'the hand-out')
        assert.deepEqual(consumer.seen[0], wake('t'))
      }),
  },
  {
    name: 'stopping waits for handlers, and hands out nothing more',
    guarantee: 'Q6',
    run: (harness) =>
      onQueue(harness, async (queue, { until, inTime }) => {
        const { opened, open } = gate()
        const consumer = await record(queue, ['r', 's'], { concurrency: 1, handle: () => opened })
        await queue.ring(wake('t1'))
        await until(() => consumer.seen.length === 1, 'the first hand-out')
        for (const id of ['t2', 't3', 't4']) await queue.ring(wake(id, id === 't4' ? 's' : 'r'))
        await sleep(QUIET_MS)
        let stopped = false
        const stopping = consumer.stop().then(() => {
          stopped = true
        })
        await queue.ring(wake('t5'))
        await sleep(QUIET_MS)
        assert.equal(stopped, false, 'it stopped before its handler had ended')
        open()
        await inTime(Promise.all([stopping, consumer.stop()]), 'the stop')
        await sleep(QUIET_MS)
        assert.deepEqual(consumer.threads(), ['t1'])
        const next = await record(queue, ['r', 's'])
        await until(() => new Set(next.threads()).size === 4, 'the hand-outs of what had waited')
        assert.deepEqual([...new Set(next.threads())].sort(), ['t2', 't3', 't4', 't5'])
      }),
  },
  {
    name: 'a handler that rejects while its consumer stops loses nothing',
    guarantee: 'Q6',
    run: (harness) =>
      onQueue(harness, async (queue, { until, inTime }) => {
        const { opened, open } = gate()
        const consumer = await record(queue, 'r', {
          handle: async () => {
            await opened
            throw new Error('interrupted')
          },
        })
        await queue.ring(wake('t'))
        await until(() => consumer.seen.length === 1, 'the first hand-out')
        const stopping = consumer.stop()
        open()
        await inTime(stopping, 'the stop')
        const next = await record(queue)
        await until(() => next.seen.length > 0, 'another hand-out')
      }),
  },
  {
    name: 'one consumer may stop while another goes on',
    guarantee: 'Q6',
    run: (harness) =>
      onTwoHandles(harness, async (first, second, { until, inTime }) => {
        const one = await record(first)
        const other = await record(second)
        await inTime(one.stop(), 'the stop')
        for (const id of ['t1', 't2', 't3']) await first.ring(wake(id))
        await until(() => new Set(other.threads()).size === 3, 'the hand-outs at the other')
        assert.deepEqual(one.seen, [])
      }),
  },
  {
    name: 'a closed queue hands out nothing and refuses every call',
    guarantee: 'Q6',
    run: (harness) =>
      onQueue(harness, async (queue, { inTime }) => {
        const consumer = await record(queue)
        await inTime(queue.close(), 'the close')
        await queue.close()
        await consumer.stop()
        await assertCode(queue.ring(wake('t')), 'queue_failed')
        await assertCode(record(queue), 'queue_failed')
        assert.deepEqual(consumer.seen, [])
      }),
  },
  {
    name: 'an outage is reported, rejects rings in time, and ends by itself',
    guarantee: 'Q7',
    run: (harness) =>
      onQueue(harness, async (queue, { until, inTime }) => {
        const interrupt = needed(harness, 'interrupt')
        const consumer = await record(queue)
        await queue.ring(wake('before'))
        await until(() => consumer.threads().includes('before'), 'the hand-out before')
        const end = await interrupt(queue)
        try {
          const began = performance.now()
          await assertCode(inTime(queue.ring(wake('meanwhile')), 'an end of the ring'), 'queue_failed')
          const took = performance.now() - began
          assert.ok(took < (harness.timeoutMs ?? 5000) + 3000, `the ring took ${took} ms to fail`)
          await until(() => consumer.errors.length > 0, 'the report of the outage')
        } finally {
          await end()
        }
        const ringAgain = async () => {
          await queue.ring(wake('after')).catch(() => undefined)
          await sleep(50)
        }
        await until(() => consumer.threads().includes('after'), 'the hand-out after', ringAgain)
      }),
  },
]
