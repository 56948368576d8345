import { expect, it } from 'vitest'
import {
  type AgentEvent,
  type Channel,
  HitlError,
  HoldpointError,
  openDesk,
  type Thread,
  type ThreadResult,
} from '../../src/index.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { assertValidHistory } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { eventsOf } from '../support/agents/thread-events.ts'
import { channelKinds, scene } from '../support/agents/thread-scene.ts'
import { soak } from '../support/soak.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { pause } from '../support/until.ts'

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2654435761 + 1
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % sides
  }
}

const DECISIONS = [
  { type: 'approve' },
  { type: 'approve' },
  { type: 'reject', message: 'no' },
  { type: 'respond', message: 'done by hand' },
  { type: 'edit', args: { n: 100 } },
  { type: 'nonsense' },
]

async function live(seed: number, kind: (typeof channelKinds)[number]): Promise<void> {
  const roll = dice(seed)
  const did = new Map<string, number>()
  const ask = noting(
    'ask',
    async (_, ctx) => {
      await ctx.step('once', () => did.set(ctx.idempotencyKey, (did.get(ctx.idempotencyKey) ?? 0) + 1).size)
      const first = await ctx.confirm('First?')
      return first && (await ctx.confirm('Second?'))
    },
    { resumable: true },
  )
  const [pay, look] = [notingGated('pay'), noting('look')]
  const script = [
    calls(['c1', 'pay', { n: 1 }], ['c2', 'ask'], ['c3', 'pay', { n: 3 }], ['c4', 'look']),
    calls(['c1', 'ask'], ['c2', 'ask'], ['c3', 'pay']),
    'Done.',
  ]
  const start = roll(2) === 0 ? 'settled' : 'cleared'
  const { open, store } = scene(script, [pay, look, ask], { toolExecution: { start } })
  const seen: AgentEvent[][] = []
  let result: ThreadResult | undefined
  let begun = false
  for (let round = 0; round < 40 && (!result || !['completed', 'aborted'].includes(result.status)); round++) {
    const { thread, channel, events } = open(kind)
    seen.push(events)
    const stop = new AbortController()
    const driving = begun ? thread.resume({ signal: stop.signal }) : thread.prompt('go', { signal: stop.signal })
    begun = true
    let over = false
    driving.then(
      () => {
        over = true
      },
      () => {
        over = true
      },
    )
    while (!over) {
      if (roll(3) === 0) await pause(roll(3))
      else await Promise.resolve()
      await act(thread, channel, stop)
    }
    result = await driving
    if (result.status === 'failed') throw result.error
    assertValidHistory(result.messages, !['completed', 'aborted'].includes(result.status))
  }

  async function act(thread: Thread, channel: Channel, stop: AbortController): Promise<void> {
    const { pending } = channel
    if (!pending) return pause(0)
    const answer =
      pending.kind === 'confirm' ? [true, true, false, 'maybe'][roll(4)] : DECISIONS[roll(DECISIONS.length)]
    const acts: (() => Promise<unknown>)[] = [
      () => channel.answer(pending.questionId, answer),
      () => channel.answer(pending.id, answer),
      () => Promise.allSettled([channel.answer(pending.id, answer), channel.answer(pending.id, answer)]),
      () => openDesk({ store }).answer(pending.id, answer, { by: { kind: 'person', id: 'ann' } }),
      () => (roll(3) === 0 ? channel.cancel(pending.id) : Promise.resolve()),
      () => (roll(2) === 0 ? thread.detach() : Promise.resolve()),
      async () => {
        if (roll(2) === 0) stop.abort()
      },
      () => (roll(12) === 0 ? thread.abortPending({ reason: 'chance' }) : Promise.resolve()),
    ]
    await acts[roll(acts.length)]?.().catch((error: unknown) => {
      if (!(error instanceof HitlError) && !HoldpointError.isInstance(error)) throw error
    })
  }

  expect(['completed', 'aborted']).toContain(result?.status)
  assertValidHistory(result!.messages)
  for (const [, status] of await requestsOf(store)) expect(status).not.toBe('open')
  for (const [key, times] of did) expect([key, times]).toEqual([key, 1])
  expect(pay.runs.length).toBeLessThanOrEqual(3)
  expect(look.runs.length).toBeLessThanOrEqual(1)
  expect((await store.read('t')).lease).toBeNull()
  for (const events of seen) {
    const asked = new Set(eventsOf(events, 'hitl_request').map(({ request }) => request.questionId))
    const ids = new Set(eventsOf(events, 'hitl_request').map(({ request }) => request.id))
    expect(eventsOf(events, 'hitl_answer').length).toBeLessThanOrEqual(ids.size)
    for (const { questionId } of eventsOf(events, 'hitl_answer')) expect(asked).toContain(questionId)
  }
}

it.each(channelKinds)(
  'whatever people do, in whatever order, a thread comes to a valid end (%s channel)',
  async (kind) => {
    for (const seed of soak.seeds(40, 300)) {
      try {
        await live(seed, kind)
      } catch (error) {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
      }
    }
  },
  soak.times(20_000, 300_000),
)
