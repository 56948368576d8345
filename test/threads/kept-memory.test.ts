import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Agent, InMemoryChannel, memoryStore, RunState, run } from '../../src/index.ts'
import type { ChannelObserver } from '../../src/ports.ts'
import { scriptedModel } from '../../src/testing.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { soak } from '../support/soak.ts'
import { pause } from '../support/until.ts'

const yes = { type: 'approve' } as const

describe('a shared channel keeps nothing of finished threads', () => {
  const COUNT = soak.times(150, 2_000)
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void

  /** Runs threads to their end on one channel, each with a gate and a store of its own, and returns weak references to them. */
  async function live(channel: InMemoryChannel, count: number, closed: boolean): Promise<WeakRef<object>[]> {
    const threads: WeakRef<object>[] = []
    for (let i = 0; i < count; i++) {
      const agent = new Agent({
        name: 'clerk',
        model: scriptedModel([calls(['c1', 'pay']), 'Done.']),
        tools: [notingGated('pay')],
      })
      const thread = agent.thread(`t${i}`, { channel })
      if (closed) thread.subscribe(() => undefined)
      expect((await thread.prompt('x'.repeat(10_000))).status).toBe('completed')
      if (closed) await thread.close()
      threads.push(new WeakRef(thread))
    }
    return threads
  }

  it.each([
    ['that were closed while somebody had subscribed', true],
    ['that were simply let go of', false],
  ])('%s', async (_, closed) => {
    const channel = new CountingChannel()
    channel.subscribe(({ id }) => void channel.answer(id, yes))
    // The first ones also fill caches of the engine, which stay.
    await live(channel, COUNT / 2, closed)
    const before = await heap(gc)
    const threads = await live(channel, COUNT, closed)
    const grown = (await heap(gc)) - before
    expect(threads.filter((thread) => thread.deref() !== undefined).length).toBeLessThan(COUNT / 20)
    expect(channel.observers).toBeLessThan(COUNT / 20)
    // A thread that is kept takes over 40 KB.
    expect(grown / COUNT).toBeLessThan(4_000)
  })
})

it('a state that was loaded without its messages takes a few kilobytes, whatever was said', async () => {
  const model = scriptedModel([
    ...Array.from({ length: 20 }, (_, n) => calls([`c${n}`, 'look', { n }])),
    calls(['c', 'pay']),
  ])
  const look = noting('look', () => 'x'.repeat(2_000))
  const agent = new Agent({ name: 'clerk', model, tools: [look, notingGated('pay')] })
  const store = memoryStore()
  expect((await run(agent, 'go', { store, threadId: 't', maxTurns: null })).status).toBe('interrupted')
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const load = () => RunState.load(agent, { store, threadId: 't' })
  for (let n = 0; n < 200; n++) await load()
  const before = await heap(gc)
  const states: RunState[] = []
  for (let n = 0; n < 500; n++) states.push(await load())
  const grown = (await heap(gc)) - before
  // Ten thousand of them are to take less than 50 MB, next to what their requests say.
  expect(grown / states.length).toBeLessThan(6_500)
})

async function heap(gc: () => void): Promise<number> {
  for (let i = 0; i < 5; i++) {
    gc()
    await pause(5)
  }
  return process.memoryUsage().heapUsed
}

/** Knows how many observers it keeps. */
class CountingChannel extends InMemoryChannel {
  observers = 0

  override observe(observer: ChannelObserver): () => void {
    const stop = super.observe(observer)
    let kept = true
    this.observers++
    return () => {
      stop()
      if (kept) this.observers--
      kept = false
    }
  }
}
