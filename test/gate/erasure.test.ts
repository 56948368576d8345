import { describe, expect, test } from 'vitest'
import { sweepRetention } from '../../src/erasure/retention.ts'
import { erase, memoryStore, openDesk, type Store } from '../../src/index.ts'
import { allRecords } from '../../src/ports/records.ts'
import { NEVER } from '../../src/ports/signals.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { racePlaces } from '../races/places.ts'
import { ann, counted, gateOf, held, refund } from './gate.ts'

async function recordsOf(store: Store, kind: string): Promise<string[]> {
  const values: string[] = []
  for await (const { value } of allRecords(store, { kind })) values.push(value)
  return values
}

const free = refund({ toolName: 'look_up' })
const why = { by: ann, reason: 'she asked for it' }

describe.each(racePlaces())('erasing calls of a gate %s', (_name, place) => {
  test('erasing a conversation erases all of its calls and bookmarks, and nothing of others', async () => {
    const store = place()()
    const gate = gateOf(store)
    await gate.bookmark('chat-1', { secret: 'of one' })
    await gate.bookmark('chat-2', { secret: 'of two' })
    for (const name of ['round 0', 'round 1']) await gate.bookmarkOnce('chat-1', { secret: name }, name)
    expect(await gate.bookmarked('chat-1', 'round 1')).toEqual({ secret: 'round 1' })
    const { run } = counted()
    await gate.judge([free])
    await gate.decide(await held(gate, refund()), { type: 'approve' }, { by: ann })
    await gate.execute(refund(), run)
    await gate.judge([refund({ toolName: 'look_up', callId: 'never-run' })])
    const other = await held(gate, refund({ threadId: 'chat-2' }))
    const { erased, refused } = await erase(store, { threadId: 'chat-1', ...why })
    expect([erased.length, refused]).toEqual([3, []])
    expect((await openDesk({ store }).list()).requests.map(({ id }) => id)).toEqual([other.id])
    expect(await recordsOf(store, 'gate-bookmark')).toEqual([JSON.stringify({ json: { secret: 'of two' } })])
    expect(await recordsOf(store, 'gate-call')).toEqual([other.threadId])
    expect(await gate.state(refund())).toMatchObject({ status: 'refused' })
  })

  test('a call that people are asked about is left, unless it is aborted', async () => {
    const store = place()()
    const gate = gateOf(store)
    await held(gate, refund())
    await gate.judge([free])
    const left = await erase(store, { threadId: 'gate/test/chat-1', ...why })
    expect([left.erased.length, left.refused.map(({ error }) => error.code)]).toEqual([1, ['thread_open']])
    await gate.bookmark('chat-1', 'kept')
    const done = await erase(store, { threadId: 'chat-1', abort: true, ...why })
    expect([done.erased.length, done.refused]).toEqual([1, []])
    expect(await recordsOf(store, 'gate-bookmark')).toEqual([])
    expect(await recordsOf(store, 'gate-call')).toEqual([])
    await expect(erase(store, { threadId: 'chat-9', ...why })).rejects.toMatchObject({ code: 'thread_not_found' })
  })

  test('no record names a call that was handed over and erased, whether its end was reported or not', async () => {
    const store = place()()
    const gate = gateOf(store, { onHandedOver: { askAfterSeconds: 3600 } })
    const { callId: _, ...call } = refund({ toolName: 'look_up' })
    const handOver = async (threadId: string, useId: string) => {
      await gate.judge([{ ...call, threadId, useId }])
      const state = await gate.spend({ ...call, threadId, useId })
      return state.status === 'released' ? state.call.threadId : state.status
    }
    // Without an id of the use, the edited arguments lead to the call.
    await gate.decide(await held(gate, refund()), { type: 'edit', args: { order: 'B-2' } }, { by: ann })
    await gate.spend(refund())
    await handOver('chat-1', 'u1')
    await handOver('chat-1', 'u2')
    await gate.finished({ ...call, useId: 'u2' }, { result: 'found' })
    const other = await handOver('chat-2', 'u3')
    expect(
      [await recordsOf(store, 'gate-use'), await recordsOf(store, 'gate-handed-over')].map((r) => r.length),
    ).toEqual([3, 4])
    const { erased, refused } = await erase(store, { threadId: 'chat-1', ...why })
    expect([erased.length, refused]).toEqual([3, []])
    // A place before others is kept, without a name.
    for (const kind of ['gate-use', 'gate-handed-over', 'gate-call'])
      expect((await recordsOf(store, kind)).filter((name) => name !== '')).toEqual([other])
    await gate.finished({ ...call, threadId: 'chat-2', useId: 'u3' }, { result: 'found' })
    expect(await recordsOf(store, 'gate-use')).toEqual([])
  })

  test('equal calls without ids are found after one before them was erased', async () => {
    const store = place()()
    const gate = gateOf(store)
    const { callId: _, ...call } = refund({ toolName: 'look_up' })
    const [first, second] = await gate.judge([call, call])
    const threads = [first, second].map((state) => (state?.status === 'free' ? state.call.threadId : ''))
    await erase(store, { threadId: threads[0]!, ...why })
    expect(await recordsOf(store, 'gate-call')).toEqual(['', threads[1]])
    expect(await gate.judge([call])).toMatchObject([{ status: 'free', call: { threadId: threads[1] } }])
    await erase(store, { threadId: threads[1]!, ...why })
    const { runs, run } = counted()
    await gate.judge([call])
    await gate.execute(call, run)
    expect(runs.length).toBe(1)
  })
})

test('retention erases calls that were judged long ago and never executed, and leaves held ones', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const gate = gateOf(store)
  await gate.bookmark('chat-1', 'old')
  await gate.bookmark('chat-2', 'held')
  await gate.judge([free])
  await gate.judge([refund({ toolName: 'look_up', callId: 'handed' })])
  await gate.spend(refund({ toolName: 'look_up', callId: 'handed' }))
  const { threadId } = await held(gate, refund({ threadId: 'chat-2' }))
  clock.advance(91 * 86_400_000)
  const swept = await sweepRetention(store, { olderThanMs: 90 * 86_400_000, signal: NEVER })
  expect(swept).toEqual({ erased: 2, problems: [] })
  expect(await recordsOf(store, 'gate-call')).toEqual([threadId])
  expect(await recordsOf(store, 'gate-bookmark')).toEqual([JSON.stringify({ json: 'held' })])
})
