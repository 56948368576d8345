import { expect, it } from 'vitest'
import { openDesk } from '../../src/desk/open-desk.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { until } from '../support/until.ts'
import { decide, isOver, over, payer, scene } from './scene.ts'

it('an approval in its undo window holds no slot, and is acted on when the window ends', async () => {
  const clock = fakeClock()
  const { store, start, events } = scene({ store: memoryStore({ clock }), queue: inProcessQueue({ clock }) })
  const paid: string[] = []
  const agent = payer({ pay: ({ threadId }) => paid.push(threadId) })
  const worker = await start(agent, { concurrency: 1 })
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  await decide(store, 't', { undoSeconds: 10 })
  await until(() => worker.status().active === 0)
  await enqueueRun(store, { agent, threadId: 'u', input: 'pay' })
  await decide(store, 'u')
  await over(store, 'u')
  clock.advance(9_900)
  await until(() => worker.status().active === 0)
  expect(paid).toEqual(['u'])
  clock.advance(200)
  await over(store, 't')
  expect(paid).toEqual(['u', 't'])
  expect(events.filter(({ type }) => type === 'error')).toEqual([])
})

it('a withdrawn approval wakes nobody', async () => {
  const clock = fakeClock()
  const { store, start } = scene({ store: memoryStore({ clock }), queue: inProcessQueue({ clock }) })
  const agent = payer({ pay: () => Promise.reject(new Error('it was withdrawn')) })
  const worker = await start(agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  const id = await decide(store, 't', { undoSeconds: 10 })
  await openDesk({ store }).withdraw(id, 'ann')
  const { version } = await store.read('t')
  expect((await store.read('t')).wake.at).toBeNull()
  clock.advance(20_000)
  await until(() => worker.status().active === 0)
  expect(await isOver(store, 't')).toBe(false)
  expect((await store.read('t')).version).toBe(version)
})
