import { expect, it } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { QueueFailed } from '../../src/protocol/errors/errors.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { createWorker } from '../../src/worker/create-worker.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { until } from '../support/until.ts'
import { over, payer, scene } from './scene.ts'

/** A queue that accepts every ring and hands out none. */
const deaf = (): Queue => ({ ...inProcessQueue(), ring: async () => undefined })

it('without any ring, all late threads are driven after one sweep, however few fit at once', async () => {
  const clock = fakeClock()
  const { store, start } = scene({ store: memoryStore({ clock }), queue: deaf() })
  const agent = payer({ needsApproval: false })
  const threads = Array.from({ length: 60 }, (_, i) => `t${i}`)
  for (const threadId of threads) await enqueueRun(store, { agent, threadId, input: 'pay' })
  clock.advance(1000)
  // Time stands still from here on.
  await start(agent, { concurrency: 2, sweepMs: 1000 })
  await over(store, ...threads)
})

it('threads of other workers do not hide those of this one', async () => {
  const { store, start } = scene({ queue: deaf() })
  for (let i = 0; i < 2600; i++) await enqueueRun(store, { agent: 'other', threadId: `o${i}`, input: 'go' })
  const agent = payer({ needsApproval: false })
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  await start(agent)
  await over(store, 't')
})

it('a worker that is stopped while it starts leaves nothing behind', async () => {
  const store = memoryStore()
  const { start, queue } = scene({ store })
  const worker = await start(payer())
  await worker.stop()
  const other = createWorker({ agents: [payer()], store, queue })
  const started = other.start()
  await other.stop()
  await started
  expect(other.status().state).toBe('stopped')
  await until(async () => (await store.findRecords({ kind: 'worker' })).records.length === 0)
})

it('a worker whose queue refuses it does not start, and can be started later', async () => {
  const { store, queue } = scene()
  let isClosed = true
  const late: Queue = {
    ...queue,
    consume: (options) => (isClosed ? Promise.reject(new QueueFailed('not yet')) : queue.consume(options)),
  }
  const worker = createWorker({ agents: [payer()], store, queue: late })
  await expect(worker.start()).rejects.toThrow(QueueFailed)
  expect(worker.status().state).toBe('new')
  expect((await store.findRecords({ kind: 'worker' })).records).toEqual([])
  isClosed = false
  await worker.start()
  expect(worker.status().state).toBe('running')
  await worker.stop()
})

it('a thread that was marked by a clock far ahead is driven once the clock is right', async () => {
  let aheadMs = 0
  const { store, start } = scene({ store: memoryStore({ clock: { now: () => Date.now() + aheadMs } }) })
  const agent = payer({ needsApproval: false })
  await (await start(agent)).stop()
  aheadMs = 30 * 86_400_000
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  aheadMs = 0
  await start(agent)
  await over(store, 't')
})
