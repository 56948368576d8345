import { expect, it } from 'vitest'
import { erase, memoryStore, type Store } from '../../src/index.ts'
import { consume } from '../../src/webhooks/consume.ts'
import { DELIVERY, putDelivery, putDue, type StoredDelivery } from '../../src/webhooks/delivery.ts'
import { claim, queue } from '../../src/webhooks/sending/claim.ts'
import { recordFailure } from '../../src/worker/failure.ts'
import { putDeadLetter, STUCK } from '../../src/worker/shared/stuck.ts'
import { inProcessQueue, stuckThreads } from '../../src/worker.ts'
import { latch } from '../support/latch.ts'
import { until } from '../support/until.ts'
import { payer, scene } from '../worker/scene.ts'
import { finishedThread, pausedThread, SECRET, WHY } from './scene.ts'

function delivery(request: string): StoredDelivery {
  const status = 'waiting' as const
  const times = { createdAt: 0, since: 0, nextAt: 0 }
  const id = `msg_${'a'.repeat(24)}_${'b'.repeat(32)}`
  return {
    id,
    tenant: 'default',
    event: 'request.opened',
    request,
    version: 1,
    status,
    attempts: 0,
    ...times,
    body: SECRET,
  }
}

const deliveries = async (store: Store) => (await store.findRecords({ kind: DELIVERY })).records

it('a consumer that has read a request before it was erased writes no delivery about it', async () => {
  const store = memoryStore()
  const stop = new AbortController()
  const [hasRead, mayWrite] = [latch(), latch()]
  let rounds = 0
  const consuming = consume(
    store,
    {
      name: 'webhooks',
      async handle(rows) {
        rounds += 1
        const read = await store.getRequest(rows[0]!.id)
        hasRead.open()
        await mayWrite.passed
        return { changes: read ? [putDelivery(delivery(rows[0]!.id))] : [] }
      },
      onMissed: () => undefined,
      onError: () => undefined,
    },
    stop.signal,
  )
  while (!(await store.readRecord('cursor', 'webhooks'))) await new Promise(setImmediate)
  await pausedThread(store, 't')
  await hasRead.passed
  await erase(store, { threadId: 't', abort: true, ...WHY })
  mayWrite.open()
  while (rounds < 2) await new Promise(setImmediate)
  stop.abort()
  await consuming
  expect(await deliveries(store)).toEqual([])
})

it('a sender that has claimed a delivery before it was erased cannot store it again', async () => {
  const store = memoryStore()
  const request = await finishedThread(store, 't')
  await store.writeRecords([putDelivery(delivery(request)), putDue(delivery(request), 0)])
  let claimed: Awaited<ReturnType<typeof claim>>
  for await (const due of queue(store)) claimed = await claim(store, due, 1000)
  expect(claimed?.delivery.body).toBe(SECRET)
  await erase(store, { threadId: 't', ...WHY })
  expect(await claimed!.end([putDelivery({ ...claimed!.delivery, status: 'failed' })])).toBe(false)
  expect(await deliveries(store)).toEqual([])
})

it('a worker whose drive fails after its thread was erased leaves no dead letter, and the list of stuck threads does not fail', async () => {
  const store = memoryStore()
  await pausedThread(store, 't')
  await erase(store, { threadId: 't', abort: true, ...WHY })
  const parts = { store, queue: inProcessQueue(), retries: 0, random: () => 0, onEvent: () => undefined }
  await recordFailure(parts, { tenantId: 'default', threadId: 't', route: 'r' }, new Error(SECRET))
  const letter = { error: { message: SECRET }, tries: 1, agent: 'a', version: null, length: 1 }
  await store.writeRecords([putDeadLetter('t', letter)])
  expect(await stuckThreads(store)).toEqual([])
  expect((await store.findRecords({ kind: STUCK })).records).toEqual([])
})

it('previews of edits are deleted however many there are', async () => {
  const store = memoryStore()
  const request = await finishedThread(store, 't')
  const value = JSON.stringify({ request, args: { note: SECRET }, by: { kind: 'person', id: 'ann' } })
  for (const [kind, id] of Array.from({ length: 1202 }, (_, n) => [n % 2 ? 'preview-edit' : 'preview-said', `p${n}`]))
    await store.writeRecords([{ op: 'put', kind: kind!, id: id!, value }])
  await erase(store, { threadId: 't', ...WHY })
  for (const kind of ['preview-edit', 'preview-said'])
    expect((await store.findRecords({ kind })).records, kind).toEqual([])
})

it('a relay passes rows of a thread that was erased before it has read them, and goes on', async () => {
  const { store, start, events } = scene()
  const first = await start(payer())
  await until(async () => (await store.readRecord('cursor', 'workers')) !== undefined)
  await first.stop()
  await pausedThread(store, 't')
  await erase(store, { threadId: 't', abort: true, ...WHY })
  events.length = 0
  await start(payer())
  await until(() => events.some((event) => event.type === 'relayed' && event.rows > 0))
  expect(events.filter(({ type }) => type === 'error')).toEqual([])
})
