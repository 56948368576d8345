import { describe, expect, it } from 'vitest'
import { verifyThread } from '../../src/gateway/v1/threads/verify-thread.ts'
import { erase, openDesk, type Store } from '../../src/index.ts'
import { HoldpointError } from '../../src/protocol/errors/errors.ts'
import { ERASURES_THREAD } from '../../src/protocol/ids.ts'
import { enqueueRun, stuckThreads } from '../../src/worker.ts'
import { seeded } from '../support/random.ts'
import { soak } from '../support/soak.ts'
import { inFolder, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { pause, until } from '../support/until.ts'
import { receiver } from '../webhooks/receiver.ts'
import { sending, target } from '../webhooks/scene.ts'
import { payer, scene } from '../worker/scene.ts'
import { WHY } from './scene.ts'

const THREADS = Array.from({ length: soak.times(10, 100) }, (_, i) => `t${i}`)

/** Erases a thread, again and again while a worker drives it. Resolves to the time at which nothing may run in it any more. */
async function eraseOpen(store: Store, threadId: string): Promise<number> {
  await until(async () => {
    const refused = await erase(store, { threadId, abort: true, ...WHY }).catch((error: unknown) => error)
    if (!HoldpointError.isInstance(refused)) return true
    expect(['thread_busy', 'thread_not_found']).toContain(refused.code)
    return false
  })
  return performance.now()
}

/** Approves what is open, if there is still something. Returns the requests that it has decided. */
async function approve(store: Store, threadId: string): Promise<string[]> {
  const decided: string[] = []
  const { requests } = await store.findRequests({ threadId, status: 'open' })
  for (const { id } of requests)
    await openDesk({ store })
      .decide({ request: id, decision: { type: 'approve' }, by: 'ann' })
      .then(
        () => decided.push(id),
        (error: unknown) => expect(HoldpointError.isInstance(error)).toBe(true),
      )
  return decided
}

describe.each(usePlaces())('threads that are erased beside live workers, on %s', (_name, place) => {
  it('run nothing afterwards, leave nothing behind, and webhooks are told of every request that was aborted', async () => {
    await inFolder('beside-workers', async (folder) => {
      const { store, start, events } = scene({ store: storeAt(place(folder), { durability: 'process' }) })
      const { url, got } = await receiver()
      await target(store, url)
      const webhooks = await sending(store)
      const paid: { threadId: string; at: number }[] = []
      const agent = payer({ pay: ({ threadId }) => paid.push({ threadId, at: performance.now() }) })
      for (let i = 0; i < 2; i++) await start(agent)
      const { next: random } = seeded(soak.seeds(1, 1)[0]!)
      const decided = new Set<string>()
      const erasedAt = new Map<string, number>()
      await Promise.all(
        THREADS.map(async (threadId) => {
          await enqueueRun(store, { agent, threadId, input: 'pay' })
          await pause(random() * 60)
          const deciding = random() < 0.7 ? pause(random() * 40).then(() => approve(store, threadId)) : []
          await pause(random() * 40)
          erasedAt.set(threadId, await eraseOpen(store, threadId))
          for (const id of await deciding) decided.add(id)
        }),
      )
      expect(new Set(paid.map(({ threadId }) => threadId)).size).toBe(paid.length)
      for (const { threadId, at } of paid) expect(at, threadId).toBeLessThan(erasedAt.get(threadId)!)
      expect(events.filter(({ type }) => type === 'dead' || type === 'error' || type === 'failed')).toEqual([])
      for (const threadId of THREADS) {
        await expect(store.read(threadId), threadId).rejects.toMatchObject({ code: 'thread_erased' })
        expect((await verifyThread(store, threadId)).problem, threadId).toBeUndefined()
      }
      const { entries } = await store.read(ERASURES_THREAD)
      expect(entries.map(({ body }) => (JSON.parse(body) as { thread: string }).thread).sort()).toEqual(
        [...THREADS].sort(),
      )
      expect((await store.findRequests({})).requests).toEqual([])
      expect((await store.ready({ limit: 500 })).threads).toEqual([])
      expect(await stuckThreads(store)).toEqual([])
      const about = (kind: string) =>
        got.filter(({ message: { type } }) => type === kind).map(({ message: { data } }) => data.id as string)
      await until(() => about('request.opened').every((id) => decided.has(id) || about('request.closed').includes(id)))
      await webhooks.stop()
    })
  })
})
