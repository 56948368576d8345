import { expect, it } from 'vitest'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { liveWorkers } from '../../src/worker/shared/live-workers.ts'
import { latch } from '../support/latch.ts'
import { until } from '../support/until.ts'
import { decide, over, payer, scene } from './scene.ts'

it('stop lets a running tool finish, and another worker goes on with the thread', async () => {
  const { store, start, events } = scene()
  const [entered, mayEnd] = [latch(), latch()]
  const paid: string[] = []
  const slow = payer({
    async pay() {
      paid.push('begin')
      entered.open()
      await mayEnd.passed
      paid.push('end')
    },
  })
  const first = await start(slow)
  await enqueueRun(store, { agent: slow, threadId: 't', input: 'pay' })
  await decide(store, 't')
  await entered.passed
  const stopped = first.stop()
  expect(first.status().state).toBe('draining')
  mayEnd.open()
  await stopped
  expect(paid).toEqual(['begin', 'end'])
  expect(events).toContainEqual(expect.objectContaining({ type: 'driven', outcome: 'handed_over' }))
  expect((await store.read('t')).lease).toBeNull()
  await start(payer({ pay: () => paid.push('again') }))
  await over(store, 't')
  expect(paid).toEqual(['begin', 'end'])
})

it('after the grace a tool is told to stop, and its lease is dropped', async () => {
  const { store, start } = scene()
  const entered = latch()
  const stuck = payer({
    async pay({ signal }) {
      entered.open()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('stopped')
    },
  })
  const worker = await start(stuck)
  await enqueueRun(store, { agent: stuck, threadId: 't', input: 'pay' })
  await decide(store, 't')
  await entered.passed
  await worker.stop({ graceMs: 10 })
  expect(worker.status()).toMatchObject({ state: 'stopped', active: 0 })
  expect((await store.read('t')).lease).toBeNull()
  expect((await store.read('t')).wake.at).not.toBeNull()
})

it('what waited for a slot is handed over, and a worker that stops is no longer listed as alive', async () => {
  const { store, start } = scene()
  const [entered, mayEnd] = [latch(), latch()]
  const paid: string[] = []
  const agent = payer({
    needsApproval: false,
    async pay({ threadId }) {
      entered.open()
      await mayEnd.passed
      paid.push(threadId)
    },
  })
  const first = await start(agent, { concurrency: 1 })
  for (const threadId of ['a', 'b', 'c']) await enqueueRun(store, { agent, threadId, input: 'pay' })
  await entered.passed
  await until(() => first.status().waiting === 2)
  const stopped = first.stop()
  await until(async () => (await liveWorkers(store)).length === 0)
  await start(agent)
  mayEnd.open()
  await stopped
  await over(store, 'a', 'b', 'c')
  expect(paid.sort()).toEqual(['a', 'b', 'c'])
})
