import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import {
  Agent,
  CheckpointedChannel,
  HitlTimedOut,
  InMemoryChannel,
  memoryStore,
  openDesk,
  type Store,
} from '../../src/index.ts'
import { type FakeClock, fakeClock, scriptedModel } from '../../src/testing.ts'
import { refused } from '../support/agents/failures.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { newChannel, scene, shown, shownAs } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { withStore } from '../support/stores/with-store.ts'
import { pause, until } from '../support/until.ts'

const DAY_S = 86_400
const ANN = { kind: 'person', id: 'ann' } as const

describe.each(['memory', 'sqlite'] as const)('with a fake clock, waits follow it (%s store)', (kind) => {
  const given = (work: (clock: FakeClock, store: Store) => Promise<void>) => {
    const clock = fakeClock()
    return withStore(kind, (store) => work(clock, store), { clock })
  }

  it('an undo window passes when the clock passes it, and not before', () =>
    given(async (clock, store) => {
      const pay = notingGated('pay')
      const { open } = scene([calls(['c1', 'pay']), 'Done.'], [pay], { store })
      const { thread, channel } = open('memory')
      const prompting = thread.prompt('go')
      const { id } = await shownAs(channel, 'c1')
      await openDesk({ store }).decide({ request: id, decision: { type: 'approve' }, by: ANN, undoSeconds: 30 * DAY_S })
      await until(() => clock.waiting > 0)
      clock.advance(30 * DAY_S * 1000 - 1)
      await pause(20)
      expect(pay.runs).toEqual([])
      clock.advance(1)
      expect((await prompting).status).toBe('completed')
      expect(pay.runs).toHaveLength(1)
    }))

  it('a decision that is withdrawn inside its undo window is asked again at once', () =>
    given(async (clock, store) => {
      const pay = notingGated('pay')
      const { open } = scene([calls(['c1', 'pay']), 'Done.'], [pay], { store })
      const { thread, channel } = open('memory')
      const prompting = thread.prompt('go')
      const { id } = await shownAs(channel, 'c1')
      const desk = openDesk({ store })
      await desk.decide({ request: id, decision: { type: 'approve' }, by: ANN, undoSeconds: 60 })
      await until(() => channel.pending === undefined && clock.waiting > 0)
      await desk.withdraw(id, ANN)
      expect((await shownAs(channel, 'c1')).version).toBe(3)
      await channel.answer('c1', { type: 'reject' })
      expect((await prompting).status).toBe('completed')
      expect(pay.runs).toEqual([])
    }))

  it('the timeout of a question in a body, of thirty days', () =>
    given(async (clock, store) => {
      for (const channel of [
        new InMemoryChannel({ defaultTimeoutSeconds: 30 * DAY_S, clock }),
        new CheckpointedChannel({
          store,
          threadId: 't',
          defaultTimeoutSeconds: 30 * DAY_S,
          allowInsideCustomTool: true,
        }),
      ]) {
        const wait = noting('wait', (_, ctx) => ctx.confirm('Sure?'))
        const agent = new Agent({
          name: 'clerk',
          model: scriptedModel([calls(['c1', 'wait']), 'Done.']),
          tools: [wait],
        })
        const prompting = agent.thread(channel.durable ? 't' : 'u', { store, channel }).prompt('go')
        await shown(channel)
        clock.advance(29 * DAY_S * 1000)
        await pause(20)
        expect(channel.pending).toBeDefined()
        clock.advance(DAY_S * 1000)
        const result = await prompting
        expect(result.status).toBe('completed')
        expect(resultsIn(result.messages)).toEqual([['c1', expect.stringMatching(/in time/)]])
      }
    }))

  it('the time limit of a tool', () =>
    given(async (clock, store) => {
      const stuck = noting('stuck', () => latch().passed, { timeoutSeconds: 40 * DAY_S })
      const { open } = scene([calls(['c1', 'stuck']), 'Done.'], [stuck], { store })
      const prompting = open('memory').thread.prompt('go')
      await until(() => stuck.runs.length === 1)
      clock.advance(39 * DAY_S * 1000)
      await pause(20)
      clock.advance(DAY_S * 1000)
      expect((await prompting).status).toBe('completed')
    }))
})

describe.each(['memory', 'durable'] as const)('a question may wait for more than 24.8 days (%s channel)', (kind) => {
  it('and is not timed out at once', async () => {
    const channel = newChannel(kind, { store: memoryStore(), threadId: 't' })
    const asked = channel.confirm('Sure?', { timeoutSeconds: 30 * DAY_S })
    const { questionId, expiresAt } = await shown(channel)
    expect(Date.parse(expiresAt!) - Date.now()).toBeGreaterThan(29 * DAY_S * 1000)
    await pause(20)
    await channel.answer(questionId, true)
    expect(await asked).toBe(true)
  })

  it('and its channel leaves nothing on a signal that many questions share', async () => {
    const channel = newChannel(kind, { store: memoryStore(), threadId: 't' })
    const { signal } = new AbortController()
    channel.subscribe(({ questionId }) => void channel.answer(questionId, true))
    for (let i = 0; i < 100; i++) await channel.confirm('Sure?', { signal, timeoutSeconds: 60 })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('a timeout follows the clock of the channel', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const channel =
      kind === 'memory' ? new InMemoryChannel({ clock }) : new CheckpointedChannel({ store, threadId: 't' })
    const asked = refused(channel.confirm('Sure?', { timeoutSeconds: 60 }), HitlTimedOut, 'hitl_timed_out')
    await shown(channel)
    clock.advance(60_000)
    await asked
    expect(channel.pending).toBeUndefined()
  })
})
