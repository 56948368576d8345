import { describe, expect, it } from 'vitest'
import {
  CheckpointedChannel,
  HitlCancelled,
  HitlStaleAnswer,
  HitlTimedOut,
  memoryStore,
  openDesk,
  StoreFailed,
} from '../../src/index.ts'
import { AnswerInvalid, DecisionInvalid, ThreadIdInvalid } from '../../src/protocol/errors/errors.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { refused } from '../support/agents/failures.ts'
import { scene, shown } from '../support/agents/thread-scene.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { withStore } from '../support/stores/with-store.ts'

const ANN = { kind: 'person', id: 'ann' } as const

describe.each(['memory', 'sqlite'] as const)('a question on a checkpointed channel (%s store)', (kind) => {
  const onChannel = (
    work: (channel: CheckpointedChannel, store: Parameters<Parameters<typeof withStore>[1]>[0]) => Promise<void>,
  ) => withStore(kind, (store) => work(new CheckpointedChannel({ store, threadId: 't' }), store))

  it('is stored before anybody is shown it, and settled in the store when it is answered', () =>
    onChannel(async (channel, store) => {
      const found: Promise<unknown>[] = []
      channel.subscribe((request) => found.push(store.getRequest(request.id)))
      const asked = channel.approve({ toolName: 'pay', toolCallId: 'c1', args: { n: 1 } })
      const request = await shown(channel)
      expect(await found[0]).toMatchObject({ id: request.id, status: 'open', threadId: 't' })
      expect(await openDesk({ store }).get(request.id)).toEqual(request)
      await channel.answer('c1', { type: 'approve' }, { by: ANN })
      expect(await asked).toEqual({ type: 'approve' })
      expect(await openDesk({ store }).get(request.id)).toMatchObject({
        status: 'decided',
        decision: { type: 'approve', by: ANN },
      })
    }))

  it('is answered from another process: confirm, ask and approve', () =>
    onChannel(async (channel, store) => {
      const desk = openDesk({ store })
      const confirm = channel.confirm('Sure?')
      const first = await shown(channel)
      await refused(desk.answer(first.id, 'yes', { by: ANN }), AnswerInvalid, 'answer_invalid')
      await desk.answer(first.id, true, { by: ANN })
      expect(await confirm).toBe(true)
      const stale = await refused(desk.answer(first.id, false, { by: ANN }), HitlStaleAnswer, 'stale_answer')
      expect(stale.by).toEqual(ANN)

      const ask = channel.ask([{ key: 'a', prompt: 'A?' }])
      const second = await shown(channel, ({ id }) => id !== first.id)
      await desk.answer(second.id, { a: 'b' }, { by: ANN })
      expect(await ask).toEqual({ a: 'b' })

      const approve = channel.approve({ toolName: 'pay', toolCallId: 'c1', args: { n: 1 } })
      const third = await shown(channel, ({ id }) => id !== second.id)
      await refused(desk.answer(third.id, true, { by: ANN }), DecisionInvalid, 'decision_invalid')
      await desk.decide({ request: third.id, decision: { type: 'reject', message: 'no' }, by: ANN })
      expect(await approve).toEqual({ type: 'reject', message: 'no' })
      expect(channel.pending).toBeUndefined()
    }))

  it('is cancelled from another process', () =>
    onChannel(async (channel, store) => {
      const asked = channel.confirm('Sure?')
      asked.catch(() => undefined)
      const { id } = await shown(channel)
      await openDesk({ store }).cancel(id, { reason: 'elsewhere', by: ANN })
      expect(await refused(asked, HitlCancelled, 'hitl_cancelled')).toMatchObject({ reason: 'elsewhere' })
    }))

  it('of answers here and elsewhere at once one wins, and the waiter gets that one', () =>
    onChannel(async (channel, store) => {
      const asked = channel.confirm('Sure?')
      const { id } = await shown(channel)
      const [here, there] = await Promise.allSettled([
        channel.answer(id, true),
        openDesk({ store }).answer(id, false, { by: ANN }),
      ])
      expect(here.status).not.toBe(there.status)
      expect(await asked).toBe(here.status === 'fulfilled')
    }))

  it('keeps each ending in the store', () =>
    onChannel(async (channel, store) => {
      const cancelled = channel.confirm('cancelled')
      cancelled.catch(() => undefined)
      await channel.cancel((await shown(channel)).id)
      await refused(cancelled, HitlCancelled, 'hitl_cancelled')
      await refused(channel.confirm('late', { timeoutSeconds: 0 }), HitlTimedOut, 'hitl_timed_out')
      await channel.confirm('stopped', { signal: AbortSignal.abort() }).catch(() => undefined)
      expect((await requestsOf(store)).map(([, status]) => status)).toEqual(['cancelled', 'expired', 'aborted'])
    }))

  it('is pending in a fresh thread, and can be answered there', () =>
    onChannel(async (channel, store) => {
      const asked = channel.confirm('Sure?')
      const { id } = await shown(channel)
      const { open } = scene([], [], { store })
      const { thread } = open()
      expect((await thread.loadPendingHitlRequest())?.id).toBe(id)
      await thread.respond({ answer: true })
      expect(await asked).toBe(true)
    }))
})

it('an answer after the stored deadline is refused by every process, whatever its timers do', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const channel = new CheckpointedChannel({ store, threadId: 't', defaultTimeoutSeconds: 60 })
  const asked = channel.confirm('Sure?')
  asked.catch(() => undefined)
  const { id, expiresAt } = await shown(channel)
  expect(expiresAt).toBe(new Date(clock.now() + 60_000).toISOString())
  clock.advance(60_000)
  await refused(channel.answer(id, true), HitlStaleAnswer, 'stale_answer')
  expect(await refused(asked, HitlTimedOut, 'hitl_timed_out')).toMatchObject({ seconds: 60 })
})

it('a store that fails when asked leaves the channel free', async () => {
  const store = memoryStore()
  let broken = true
  const flaky = {
    ...store,
    append: (append: Parameters<typeof store.append>[0]) =>
      broken ? Promise.reject(new StoreFailed('disk full', undefined)) : store.append(append),
  }
  const channel = new CheckpointedChannel({ store: flaky, threadId: 't' })
  await refused(channel.confirm('Sure?'), StoreFailed, 'store_failed')
  expect(channel.pending).toBeUndefined()
  broken = false
  const asked = channel.confirm('And now?')
  const { questionId } = await shown(channel)
  broken = true
  await refused(channel.answer(questionId, true), StoreFailed, 'store_failed')
  expect(channel.pending?.questionId).toBe(questionId)
  broken = false
  await channel.answer(questionId, true)
  expect(await asked).toBe(true)
})

it('needs a thread id that is one', () => {
  expect(() => new CheckpointedChannel({ store: memoryStore(), threadId: 'no spaces' })).toThrow(ThreadIdInvalid)
})

it('two runs of a thread do not erase each other’s questions: each has its own request', async () => {
  const store = memoryStore()
  const [a, b] = [new CheckpointedChannel({ store, threadId: 't' }), new CheckpointedChannel({ store, threadId: 't' })]
  const [first, second] = [a.confirm('Sure?'), b.confirm('Sure?')]
  const [one, two] = [await shown(a), await shown(b)]
  expect(one.id).not.toBe(two.id)
  await b.answer(two.id, false)
  expect(await second).toBe(false)
  expect(await openDesk({ store }).get(one.id)).toMatchObject({ status: 'open' })
  await a.answer(one.id, true)
  expect(await first).toBe(true)
})
