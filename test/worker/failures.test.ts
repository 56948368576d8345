import { expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { ModelFailed, ThreadNotFound } from '../../src/protocol/errors/errors.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import type { WorkerEvent } from '../../src/worker/events.ts'
import { recordFailure } from '../../src/worker/failure.ts'
import { redrive } from '../../src/worker/shared/redrive.ts'
import { stuckThreads } from '../../src/worker/shared/stuck-threads.ts'
import { until } from '../support/until.ts'
import { over, payer, scene } from './scene.ts'

/** An agent whose model fails so often, and then answers. */
function flaky(times: number) {
  let asked = 0
  const model = {
    async respond() {
      asked += 1
      if (asked <= times) throw new Error('the model is away')
      return { content: 'done' }
    },
  }
  return { agent: payer({ model }), asked: () => asked }
}

function of<T extends WorkerEvent['type']>(events: readonly WorkerEvent[], type: T) {
  return events.filter((event): event is Extract<WorkerEvent, { type: T }> => event.type === type)
}

it('a failed drive is tried again after a delay that grows, by the clock of the store', async () => {
  const clock = fakeClock()
  const place = scene({ store: memoryStore({ clock }), queue: inProcessQueue({ clock }) })
  const { agent, asked } = flaky(2)
  await place.start(agent, { random: () => 1 })
  await enqueueRun(place.store, { agent, threadId: 't', input: 'go' })
  await until(() => of(place.events, 'failed').length === 1)
  clock.advance(900)
  clock.advance(90)
  await until(async () => (await place.store.read('t')).wake.at !== null)
  expect(asked()).toBe(1)
  clock.advance(20)
  await until(() => of(place.events, 'failed').length === 2)
  expect(of(place.events, 'failed').map(({ tries, retryInMs }) => [tries, retryInMs])).toEqual([
    [1, 1000],
    [2, 3000],
  ])
  clock.advance(3010)
  await over(place.store, 't')
  expect((await place.store.read('t')).wake).toMatchObject({ at: null, tries: 0 })
})

it('after the last try the thread is stuck, operators see why, and a retry drives it again', async () => {
  const { store, start, events } = scene()
  const { agent, asked } = flaky(1)
  await start(agent, { retries: 0 })
  await enqueueRun(store, { agent, threadId: 't', input: 'go' })
  await until(() => of(events, 'dead').length === 1)
  expect(asked()).toBe(1)
  expect(of(events, 'dead')[0]?.error).toBeInstanceOf(ModelFailed)
  const [stuck, ...more] = await stuckThreads(store)
  expect(more).toEqual([])
  expect(stuck).toMatchObject({ threadId: 't', reason: 'dead', agent: 'payer', version: null, tries: 1 })
  expect(stuck?.error).toMatchObject({ code: 'model_failed' })
  expect(await stuckThreads(store.tenant('other'))).toEqual([])

  expect(await redrive(store, 't')).toBe(true)
  await over(store, 't')
  expect(await stuckThreads(store)).toEqual([])
  expect(await redrive(store, 't')).toBe(false)
  await expect(redrive(store, 'unknown')).rejects.toThrow(ThreadNotFound)
})

it('a failure that trying again cannot mend is not tried again', async () => {
  const { store, start, events } = scene()
  const agent = payer({ needsApproval: false })
  await start(agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'go', maxTurns: 1 })
  await until(() => of(events, 'dead').length === 1)
  expect(await stuckThreads(store)).toMatchObject([{ reason: 'dead', error: { code: 'max_turns_exceeded' } }])
})

it('a thread that went on by itself is no longer listed as stuck', async () => {
  const { store, start, events } = scene()
  const { agent } = flaky(1)
  await start(agent, { retries: 0 })
  await enqueueRun(store, { agent, threadId: 't', input: 'go' })
  await until(() => of(events, 'dead').length === 1)
  await enqueueRun(store, { agent, threadId: 't', input: 'go on' })
  await over(store, 't')
  expect(await stuckThreads(store)).toEqual([])
})

it('a thread that dies while stuck threads are listed is listed from then on', async () => {
  const { store, queue } = scene()
  await enqueueRun(store, { agent: 'payer', threadId: 't', input: 'go' })
  /** Lists them right after the letter was written, before the mark is cleared. */
  const between: Store = {
    ...store,
    tenant: () => between,
    async writeRecords(changes) {
      const outcome = await store.writeRecords(changes)
      expect(await stuckThreads(store, { overdueMs: 0 })).toMatchObject([{ reason: 'no_worker' }])
      return outcome
    },
  }
  const parts = { store: between, queue, retries: 0, random: Math.random, onEvent: () => undefined }
  await recordFailure(parts, { tenantId: store.tenantId, threadId: 't', route: 'payer' }, new Error('no'))
  expect((await store.read('t')).wake.at).toBeNull()
  expect(await stuckThreads(store)).toMatchObject([{ threadId: 't', reason: 'dead' }])
})

it('a stuck thread that a process goes on with by itself is driven by others if that process dies', async () => {
  const { store, start, events } = scene()
  const { agent } = flaky(1)
  const worker = await start(agent, { retries: 0 })
  await enqueueRun(store, { agent, threadId: 't', input: 'go' })
  await until(() => of(events, 'dead').length === 1)
  await worker.stop()
  let marked: unknown
  const pay = async () => {
    marked = (await store.read('t')).wake.at
  }
  await payer({ needsApproval: false, pay }).thread('t', { store }).resume()
  expect(marked).toEqual(expect.any(Number))
  expect((await store.read('t')).wake.at).toBeNull()
})

it('a listener that throws stops nothing', async () => {
  const { store, start } = scene()
  const agent = payer({ needsApproval: false })
  await start(agent, {
    onEvent: () => {
      throw new Error('a bad listener')
    },
  })
  await enqueueRun(store, { agent, threadId: 't', input: 'go' })
  await over(store, 't')
})
