import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueCase } from './queue-case.ts'
import { assertCode, gate, onQueue, onTwoHandles, QUIET_MS, record, wake } from './tools.ts'

const ODD = ['a:b', 'a:b:c', '1', '~x', 'a/b@c+d=e', 'x'.repeat(200)]

/** Rings and their hand-outs. */
export const ringCases: readonly QueueCase[] = [
  {
    name: 'an accepted ring is handed out as it was given',
    guarantee: 'Q1',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const consumer = await record(queue)
        await queue.ring(wake('t1'))
        await until(() => consumer.seen.length > 0, 'the hand-out')
        assert.deepEqual(consumer.seen, [wake('t1')])
      }),
  },
  {
    name: 'what was rung before anybody consumed is handed out',
    guarantee: 'Q1',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const threads = Array.from({ length: 40 }, (_, n) => `t${n}`)
        await Promise.all(threads.map((id) => queue.ring(wake(id))))
        const consumer = await record(queue)
        await until(() => new Set(consumer.threads()).size === threads.length, 'a hand-out of each thread')
        assert.deepEqual([...new Set(consumer.threads())].sort(), [...threads].sort())
      }),
  },
  {
    name: 'odd names of tenants and threads stay as they are and apart',
    guarantee: 'Q1',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const tenants = ['acme', 'a:b', 'ü \u{1f600} {x}', '%3A', "'; --", 'x'.repeat(200)]
        const given = tenants.flatMap((tenantId) => ODD.map((threadId) => ({ tenantId, threadId, route: 'r' })))
        for (const each of given) await queue.ring(each)
        const consumer = await record(queue)
        await until(() => consumer.seen.length >= given.length, 'all hand-outs')
        const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort()
        assert.deepEqual(sorted(consumer.seen), sorted(given))
      }),
  },
  {
    name: 'a ring through another handle is handed out',
    guarantee: 'Q1',
    run: (harness) =>
      onTwoHandles(harness, async (first, second, { until }) => {
        const consumer = await record(first)
        for (const id of ['t1', 't2']) {
          await second.ring(wake(id))
          await until(() => consumer.threads().includes(id), 'the hand-out')
        }
      }),
  },
  {
    name: 'a thread can be rung again after it was handed out',
    guarantee: 'Q1',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const consumer = await record(queue)
        for (const count of [1, 2, 3]) {
          await queue.ring(wake('t'))
          await until(() => consumer.seen.length >= count, `hand-out ${count}`)
        }
      }),
  },
  {
    name: 'invalid wake-ups and options are refused',
    guarantee: 'Q1',
    run: (harness) =>
      onQueue(harness, async (queue) => {
        await assertCode(queue.ring({ ...wake('t'), tenantId: '' }), 'tenant_id_invalid')
        await assertCode(queue.ring(wake('')), 'thread_id_invalid')
        for (const route of ['', '\ud800', 'a\0b']) await assertCode(queue.ring(wake('t', route)), 'input_invalid')
        for (const delayMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
          await assertCode(queue.ring(wake('t'), { delayMs }), 'input_invalid')
        }
        await assertCode(record(queue, []), 'input_invalid')
        for (const concurrency of [0, 1.5]) await assertCode(record(queue, 'r', { concurrency }), 'input_invalid')
        const consumer = await record(queue)
        await sleep(QUIET_MS)
        assert.deepEqual(consumer.seen, [])
      }),
  },
  {
    name: 'a ring whose signal has fired is refused with its reason',
    guarantee: 'Q1',
    run: (harness) =>
      onQueue(harness, async (queue) => {
        const reason = new Error('given up')
        await assert.rejects(queue.ring(wake('t'), { signal: AbortSignal.abort(reason) }), reason)
      }),
  },
  {
    name: 'a ring while its thread is handed out leads to another hand-out',
    guarantee: 'Q2',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        const { opened, open } = gate()
        const consumer = await record(queue, 'r', { handle: () => opened })
        await queue.ring(wake('t'))
        await until(() => consumer.seen.length === 1, 'the first hand-out')
        for (let n = 0; n < 3; n++) await queue.ring(wake('t'))
        open()
        await until(() => consumer.seen.length >= 2, 'another hand-out')
      }),
  },
  {
    name: 'a ring at the very end of a hand-out is not lost',
    guarantee: 'Q2',
    run: (harness) =>
      onQueue(harness, async (queue, { until }) => {
        let rung = 0
        const seenAt: number[] = []
        // A hand-out that begins after ring n was accepted accounts for rings up to n.
        const consumer = await record(queue, 'r', {
          async handle() {
            seenAt.push(rung)
            await sleep(rung % 4)
          },
        })
        for (let n = 1; n <= 40; n++) {
          const accepted = queue.ring(wake('t'))
          rung = n
          await accepted
          await sleep(n % 5)
        }
        await until(() => seenAt.at(-1) === rung, 'a hand-out after the last ring')
        assert.equal(consumer.errors.length, 0)
      }),
  },
]
