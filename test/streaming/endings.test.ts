import { describe, expect, it } from 'vitest'
import { Agent, ModelFailed, memoryStore, RunState, run, ThreadBusy } from '../../src/index.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { partsIn, partwise, streaming } from '../support/agents/streaming-agent.ts'
import { collect, eventsOf } from '../support/agents/thread-events.ts'
import { scene } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { readAll } from '../support/read-all.ts'
import { until } from '../support/until.ts'

describe('a streamed run that fails', () => {
  it('throws its error to the reader after the last event, and completes as failed', async () => {
    const { agent } = streaming([calls(['a', 'look']), new Error('no network'), 'Done.'], [free('look')])
    const stream = await run(agent, 'go', { stream: true })
    const seen: string[] = []
    const reading = (async () => {
      for await (const event of stream) seen.push(event.type)
    })()
    await refused(reading, ModelFailed, 'model_failed')
    expect(seen.at(-1)).toBe('turn_start')
    expect(await stream.completed).toMatchObject({ status: 'failed' })
    expect(stream.error).toBeInstanceOf(ModelFailed)

    const again = await run(agent, stream.state, { stream: true })
    await readAll(again)
    expect(again.finalOutput).toBe('Done.')
  })

  it('errors the text too: an answer that was cut off never looks whole', async () => {
    const model = partwise(async function* () {
      yield { type: 'text', text: 'Half an' }
      throw new Error('cut')
    })
    const stream = await run(new Agent({ name: 'clerk', model }), 'go', { stream: true })
    const got: string[] = []
    const reading = (async () => {
      for await (const text of stream.toTextStream()) got.push(text)
    })()
    await refused(reading, ModelFailed, 'model_failed')
    expect(got).toEqual(['Half an'])
  })

  it('harms nobody if nobody reads or waits', async () => {
    const { agent } = streaming([new Error('no network')])
    const stream = await run(agent, 'go', { stream: true })
    await until(() => stream.status === 'failed')
    // An unhandled rejection would fail this file.
    await new Promise((resolve) => setTimeout(resolve, 10))
  })
})

describe('a streamed run that is cancelled', () => {
  function talkative() {
    const closed: string[] = []
    const asked: number[] = []
    const model = partwise(async function* (_request, turn) {
      asked.push(turn)
      try {
        yield { type: 'text', text: `answer ${turn}` }
        // It does not look at the signal.
        while (turn === 1) {
          await new Promise((resolve) => setTimeout(resolve, 1))
          yield { type: 'text', text: ' and on' }
        }
        yield { type: 'finish' }
      } finally {
        closed.push(`closed ${turn}`)
      }
    })
    return { agent: new Agent({ name: 'clerk', model }), closed, asked }
  }

  it('by leaving the iteration: incomplete, the model is let go, and its state goes on', async () => {
    const { agent, closed } = talkative()
    const stream = await run(agent, 'go', { stream: true })
    for await (const event of stream) if (event.type === 'model_part') break
    expect(stream).toMatchObject({ status: 'incomplete', cancelled: true, error: undefined })
    await until(() => closed.length === 1)

    const resumed = await run(agent, stream.state, { stream: true })
    expect(partsIn(await readAll(resumed))).toEqual([{ type: 'text', text: 'answer 2' }])
    expect(resumed).toMatchObject({ status: 'completed', finalOutput: 'answer 2', cancelled: false })
  })

  it('by its signal or by cancel(): the iteration ends without an error', async () => {
    for (const how of ['signal', 'cancel'] as const) {
      const { agent, closed, asked } = talkative()
      const stopping = new AbortController()
      const stream = await run(agent, 'go', { stream: true, signal: stopping.signal })
      const reading = readAll(stream)
      await until(() => stream.currentTurn === 1 && asked.length === 1)
      if (how === 'signal') stopping.abort()
      else expect((await stream.cancel('enough')).status).toBe('incomplete')
      await reading
      await until(() => closed.length === 1)
      expect(await stream.completed).toMatchObject({ status: 'incomplete' })
    }
  })

  it('after its end is no longer cancelled', async () => {
    const { agent } = streaming(['Done.'])
    const stream = await run(agent, 'go', { stream: true })
    await stream.completed
    expect((await stream.cancel()).status).toBe('completed')
    expect(stream.cancelled).toBe(false)
  })

  it('keeps a call that was started before: it is not started again', async () => {
    const inside = latch()
    const pay = free('pay', {
      execute: (_args, ctx) => {
        inside.open()
        return new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('half done')))
      },
    })
    const { agent } = streaming([calls(['a', 'pay']), 'Done.'], [pay])
    const stream = await run(agent, 'go', { stream: true })
    await inside.passed
    expect((await stream.cancel()).status).toBe('incomplete')
    const done = await run(agent, stream.state)
    expect(done).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
    expect(pay.runs).toHaveLength(1)
  })
})

describe('a stream of a thread that others drive', () => {
  it('is refused by the call itself, and nothing is stored', async () => {
    const store = memoryStore()
    const inside = latch()
    const leave = latch()
    const pay = gated('pay', {
      execute: async () => {
        inside.open()
        await leave.passed
      },
    })
    const { agent } = streaming([calls(['a', 'pay']), 'Done.'], [pay])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await paused.state.approve('a')
    const first = run(agent, paused.state)
    await inside.passed
    const { version } = await store.read('t')
    const other = await RunState.load(agent, { store, threadId: 't' })
    await refused(run(agent, other, { stream: true }), ThreadBusy, 'thread_busy')
    await refused(run(agent, 'more', { stream: true, store, threadId: 't' }), ThreadBusy, 'thread_busy')
    expect((await store.read('t')).version).toBe(version)
    leave.open()
    expect((await first).status).toBe('completed')
  })
})

describe('the listeners of a thread', () => {
  it('get the parts of an answer too, if the model answers in parts', async () => {
    const { agent } = streaming(['Good day.'])
    const thread = agent.thread('t', {})
    const events = collect(thread)
    await thread.prompt('hello')
    expect(partsIn(events)).toEqual([
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'day.' },
    ])
    const { open } = scene(['Good day.'], [])
    const plain = open()
    await plain.thread.prompt('hello')
    expect(eventsOf(plain.events, 'model_part')).toEqual([])
  })
})
