import { expect, it } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { SYSTEM_TENANT } from '../../src/ports/records.ts'
import { QueueFailed } from '../../src/protocol/errors/errors.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { run } from '../../src/runtime/run/run.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { until } from '../support/until.ts'
import { decide, over, payer, scene } from './scene.ts'

const threads = Array.from({ length: 5 }, (_, i) => `t${i}`)

/** A queue that accepts every ring and hands out none. */
const deaf: Queue = { ...inProcessQueue(), ring: async () => undefined }

it('a queue that forgets everything delays a resume, and loses none', async () => {
  const { store, start } = scene({ queue: deaf })
  const paid: string[] = []
  const agent = payer({ pay: ({ threadId }) => paid.push(threadId) })
  for (let i = 0; i < 2; i++) await start(agent)
  for (const threadId of threads) await enqueueRun(store, { agent, threadId, input: 'pay' })
  for (const threadId of threads) await decide(store, threadId)
  await over(store, ...threads)
  expect(paid.sort()).toEqual(threads)
})

it('a queue that is down is reported, and threads are driven nevertheless', async () => {
  const down: Queue = {
    ...inProcessQueue(),
    ring: async () => {
      throw new QueueFailed('down')
    },
  }
  const { store, start, events } = scene({ queue: down })
  const agent = payer()
  await start(agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  await decide(store, 't')
  await over(store, 't')
  await until(() => events.some((event) => event.type === 'error' && event.error instanceof QueueFailed))
})

it('what was decided before there was a worker is resumed, also if rows of the outbox are gone', async () => {
  const { store, start } = scene()
  const agent = payer()
  for (const threadId of threads) await run(agent, 'pay', { store, threadId })
  for (const threadId of threads) await decide(store, threadId)
  // A cursor from long ago, and one that was never valid in this store.
  const cursor = { op: 'put', kind: 'cursor', id: 'workers', value: '0' } as const
  await store.tenant(SYSTEM_TENANT).writeRecords([cursor])
  await store.prune({ outboxMs: 0 })
  await start(agent)
  await over(store, ...threads)
})

it('rings that come twice, late and for threads that are over are harmless', async () => {
  const { store, start, queue, events } = scene()
  const paid: string[] = []
  const agent = payer({ pay: ({ threadId }) => paid.push(threadId) })
  await start(agent)
  const ring = () => queue.ring({ tenantId: store.tenantId, threadId: 't', route: 'payer' })
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  for (let i = 0; i < 5; i++) await ring()
  await decide(store, 't')
  for (let i = 0; i < 5; i++) await ring()
  await over(store, 't')
  const { version } = await store.read('t')
  events.length = 0
  await ring()
  await until(() => events.some((event) => event.type === 'passed' && event.why === 'not_due'))
  expect(paid).toEqual(['t'])
  expect((await store.read('t')).version).toBe(version)
})
