import { expect, it } from 'vitest'
import type { Clock } from '../../src/ports/clock.ts'
import type { Queue, WakeUp } from '../../src/ports/queue.ts'
import { SYSTEM_TENANT } from '../../src/ports/records.ts'
import type { Store } from '../../src/ports/store.ts'
import { QueueFailed } from '../../src/protocol/errors/errors.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import type { WorkerEvent } from '../../src/worker/events.ts'
import { Leader } from '../../src/worker/leader.ts'
import { Relay } from '../../src/worker/relay.ts'
import { until } from '../support/until.ts'

/** A relay that notes the threads it rings for. */
async function relaying(
  store: Store,
  {
    refuse = () => false,
    alwaysLeads = false,
    queue,
    clock,
    isRungByStore = false,
  }: { refuse?(): boolean; alwaysLeads?: boolean; queue?: Queue; clock?: Clock; isRungByStore?: boolean } = {},
) {
  const rung: string[] = []
  const errors: WorkerEvent[] = []
  const ring = async ({ threadId }: WakeUp): Promise<void> => {
    if (refuse()) throw new QueueFailed('down')
    rung.push(threadId)
  }
  const leader = new Leader({ store, name: 'workers', id: 'w', clock })
  if (alwaysLeads) leader.hold = async () => true
  const stopping = new AbortController()
  const onEvent = (event: WorkerEvent): void => void (event.type === 'error' && errors.push(event))
  const relay = new Relay({ store, queue: queue ?? ({ ring, isRungByStore } as Queue), leader, clock, onEvent })
  const running = relay.run(stopping.signal)
  return {
    rung,
    errors,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

const cursorOf = (store: Store) => store.tenant(SYSTEM_TENANT).readRecord('cursor', 'workers')
const enqueue = (store: Store, threadId: string) => enqueueRun(store, { agent: 'a', threadId, input: 'go' })

it('two relays that share a cursor skip no row', async () => {
  const store = memoryStore()
  const relays = [await relaying(store, { alwaysLeads: true }), await relaying(store, { alwaysLeads: true })]
  await until(async () => (await cursorOf(store)) !== undefined)
  const threads = Array.from({ length: 50 }, (_, i) => `t${i}`)
  for (const threadId of threads) await enqueue(store, threadId)
  const all = () => new Set(relays.flatMap(({ rung }) => rung))
  await until(() => all().size === threads.length)
  // One of them may have rung for the last row before the other has read it.
  await until(async () => {
    const { rows } = await store.outbox({ after: (await cursorOf(store))!.value })
    return !rows.some(({ subject }) => subject === 'thread')
  })
  for (const relay of relays) await relay.stop()
})

it('one relay of two rings; the other takes over where it ended', async () => {
  const store = memoryStore()
  const first = await relaying(store)
  await until(async () => (await cursorOf(store)) !== undefined)
  const second = await relaying(store)
  await enqueue(store, 'a')
  await until(() => first.rung.length === 1)
  await first.stop()
  await enqueue(store, 'b')
  await until(() => second.rung.includes('b'))
  await second.stop()
  expect([first.rung, second.rung]).toEqual([['a'], ['b']])
})

it('a row whose ring was refused is rung for again', async () => {
  const store = memoryStore()
  let isDown = true
  const relay = await relaying(store, { refuse: () => isDown })
  await until(async () => (await cursorOf(store)) !== undefined)
  const before = (await cursorOf(store))!.value
  await enqueue(store, 'a')
  await enqueue(store, 'b')
  await new Promise((resolve) => setImmediate(resolve))
  expect((await cursorOf(store))!.value).toBe(before)
  isDown = false
  await until(() => new Set(relay.rung).size === 2)
  await relay.stop()
  expect((await cursorOf(store))!.value).not.toBe(before)
})

it('a thread that the queue refuses does not hold up the others', async () => {
  const store = memoryStore()
  const queue = inProcessQueue()
  const relay = await relaying(store, { queue })
  await until(async () => (await cursorOf(store)) !== undefined)
  const rung: string[] = []
  const handle = async ({ threadId }: WakeUp): Promise<void> => void rung.push(threadId)
  await queue.consume({ routes: ['a'], concurrency: 1, handle, onError: () => undefined })
  // A store accepts longer names than a queue.
  const run = { agent: 'a'.repeat(100_000), version: null }
  await store.append({ threadId: 'bad', entries: ['{}'], run, wake: { op: 'by', inMs: 0, tell: true } })
  await enqueue(store, 't')
  await until(() => rung.includes('t'))
  await relay.stop()
  await queue.close()
  expect(relay.errors).toMatchObject([{ what: 'the queue refuses thread bad' }])
})

it('a queue that the store rings is left alone, and one worker leads all the same', async () => {
  const store = memoryStore()
  const relay = await relaying(store, { isRungByStore: true })
  await until(async () => (await store.tenant(SYSTEM_TENANT).readRecord('leader', 'workers')) !== undefined)
  await enqueue(store, 'a')
  await new Promise((resolve) => setImmediate(resolve))
  await relay.stop()
  expect(relay.rung).toEqual([])
  expect(await cursorOf(store)).toBeUndefined()
})

it('the cursor is stored once a second, however many rows come one by one', async () => {
  const store = memoryStore()
  const clock = fakeClock()
  const relay = await relaying(store, { clock, alwaysLeads: true })
  await until(async () => (await cursorOf(store)) !== undefined)
  for (let n = 0; n < 20; n++) {
    await enqueue(store, `t${n}`)
    await until(() => relay.rung.length === n + 1)
  }
  expect((await cursorOf(store))!.version).toBe(1)
  await until(async () => {
    clock.advance(100)
    return (await cursorOf(store))!.version > 1
  })
  const { rows } = await store.outbox({ after: (await cursorOf(store))!.value })
  expect(rows).toEqual([])
  await relay.stop()
})
