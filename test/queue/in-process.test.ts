import { describe, expect, it } from 'vitest'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { inProcessHarness } from '../../src/testing/queue-suite/in-process-harness.ts'
import { record, wake } from '../../src/testing/queue-suite/tools.ts'
import { describeQueue } from './conformance.ts'

describeQueue('the queue of one process', inProcessHarness())

describe('the queue of one process', () => {
  it('counts delays and back-offs by its clock', async () => {
    const clock = fakeClock()
    const queue = inProcessQueue({ clock })
    let fail = true
    const consumer = await record(queue, 'r', {
      handle: async () => {
        if (fail) throw new Error('not now')
      },
    })
    await queue.ring(wake('t'), { delayMs: 60_000 })
    clock.advance(59_999)
    expect([clock.waiting, consumer.seen.length]).toEqual([1, 0])
    clock.advance(1)
    await expect.poll(() => consumer.errors.length).toBe(1)
    fail = false
    clock.advance(249)
    expect(consumer.seen.length).toBe(1)
    clock.advance(1)
    await expect.poll(() => consumer.seen.length).toBe(2)
    await queue.ring(wake('t'), { delayMs: 1000 })
    await queue.close()
    expect(clock.waiting).toBe(0)
  })
})
