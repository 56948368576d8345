import { describe, expect, expectTypeOf, it } from 'vitest'
import { Agent, memoryStore, type RunResult, run, type StreamedRunResult } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { partsIn, partwise, storedTypes, streaming } from '../support/agents/streaming-agent.ts'
import { latch } from '../support/latch.ts'
import { readAll } from '../support/read-all.ts'
import { typesOf } from '../support/stores/entries.ts'

describe('a streamed run', () => {
  it('emits the parts of an answer as they come, then the stored message', async () => {
    const { agent } = streaming(['Good day to you.'])
    const stream = await run(agent, 'hello', { stream: true })
    const events = await readAll(stream)
    expect(events.map(({ type }) => type)).toEqual([
      'agent_start',
      'turn_start',
      'model_part',
      'model_part',
      'model_part',
      'model_part',
      'message',
      'turn_end',
      'agent_end',
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1))
    expect(events.every(({ replayed }) => !replayed)).toBe(true)
    expect(events[2]).toMatchObject({ path: ['clerk'], turn: 1, part: { type: 'text', text: 'Good ' } })
    expect(stream).toMatchObject({ status: 'completed', finalOutput: 'Good day to you.', error: undefined })
    expect(stream.interruptions).toEqual([])
    expect(stream.usage.requests).toBe(1)
    expect(stream.currentTurn).toBe(1)
    expect(await stream.completed).toMatchObject({ status: 'completed', finalOutput: 'Good day to you.' })
  })

  it('hands a part on before the model has said the next one', async () => {
    const more = latch()
    const model = partwise(async function* () {
      yield { type: 'reasoning', text: 'hm' }
      yield { type: 'text', text: 'first' }
      await more.passed
      yield { type: 'text', text: ' second' }
      yield { type: 'finish' }
    })
    const stream = await run(new Agent({ name: 'clerk', model }), 'go', { stream: true })
    const seen: string[] = []
    for await (const event of stream) {
      if (event.type !== 'model_part') continue
      seen.push('text' in event.part ? event.part.text : '')
      if (seen.length < 2) continue
      expect(stream.status).toBe('running')
      more.open()
    }
    expect(seen).toEqual(['hm', 'first', ' second'])
  })

  it('shows calls as the model makes them, and never stores a part', async () => {
    const store = memoryStore()
    const { agent } = streaming(
      [{ text: 'I look.', toolCalls: [{ id: 'a', name: 'look', args: { n: 1 } }] }, 'Seen.'],
      [free('look')],
    )
    const events = await readAll(await run(agent, 'go', { stream: true, store, threadId: 't' }))
    expect(partsIn(events)).toContainEqual({ type: 'tool-call', call: { id: 'a', name: 'look', args: { n: 1 } } })
    const plain = memoryStore()
    const { agent: same } = streaming(
      [{ text: 'I look.', toolCalls: [{ id: 'a', name: 'look', args: { n: 1 } }] }, 'Seen.'],
      [free('look')],
    )
    await run(same, 'go', { store: plain, threadId: 't' })
    expect(await typesOf(store, 't')).toEqual(await typesOf(plain, 't'))
  })

  it('has the whole answer as one part if the model does not answer in parts', async () => {
    const { agent } = scripted([calls(['a', 'look']), 'All at once.'], [free('look')])
    const events = await readAll(await run(agent, 'go', { stream: true }))
    expect(partsIn(events)).toEqual([
      { type: 'tool-call', call: { id: 'a', name: 'look', args: {} } },
      { type: 'text', text: 'All at once.' },
    ])
  })

  it('ends at a pause, is decided, and goes on as a stream without telling the call again', async () => {
    const pay = gated('pay')
    const { agent } = streaming([calls(['a', 'pay', { n: 1 }]), 'Paid.'], [pay])
    const stream = await run(agent, 'go', { stream: true })
    const before = await readAll(stream)
    expect(storedTypes(before)).toEqual(['agent_start', 'turn_start', 'message', 'hitl_request'])
    const paused = await stream.completed
    expect(paused.status).toBe('interrupted')
    expect(stream.interruptions).toMatchObject([{ toolName: 'pay', args: { n: 1 } }])
    expect(pay.runs).toEqual([])

    // Nothing was decided: nothing happens, and nothing is told.
    const idle = await run(agent, stream.state, { stream: true })
    expect(await readAll(idle)).toEqual([])
    expect(idle).toMatchObject({ status: 'interrupted', currentTurn: 1 })

    await stream.state.approve(stream.interruptions[0]!)
    const resumed = await run(agent, stream.state, { stream: true })
    const after = await readAll(resumed)
    expect(storedTypes(after)).toEqual([
      'tool_start',
      'tool_end',
      'turn_end',
      'turn_start',
      'message',
      'turn_end',
      'agent_end',
    ])
    expect(partsIn(after)).toEqual([{ type: 'text', text: 'Paid.' }])
    expect(resumed).toMatchObject({ status: 'completed', finalOutput: 'Paid.', currentTurn: 2 })
    expect(pay.runs).toHaveLength(1)
    // What the first stream came to stays what it came to.
    expect(stream.status).toBe('interrupted')
  })

  it('lists in the order of calls what waits while other calls still run', async () => {
    const slow = latch()
    const { agent } = streaming(
      [calls(['a', 'pay'], ['b', 'look']), 'Done.'],
      [gated('pay'), free('look', { execute: () => slow.passed.then(() => 'seen') })],
    )
    const stream = await run(agent, 'go', { stream: true })
    for await (const event of stream) {
      if (event.type !== 'hitl_request') continue
      expect(stream.status).toBe('running')
      expect(stream.interruptions.map(({ toolName }) => toolName)).toEqual(['pay'])
      slow.open()
    }
    expect(stream.status).toBe('interrupted')
  })

  it('refuses what a plain run refuses, before there is a stream', async () => {
    const { agent } = streaming(['never'])
    await refused(run(agent, [], { stream: true }), InputInvalid, 'input_invalid')
    await refused(run(agent, 'go', { stream: 'yes' as unknown as true }), InputInvalid, 'input_invalid')
  })

  it('is typed by its option', () => {
    const { agent } = streaming([])
    expectTypeOf(() => run(agent, 'x', { stream: true })).returns.toEqualTypeOf<Promise<StreamedRunResult>>()
    expectTypeOf(() => run(agent, 'x', { maxTurns: 1 })).returns.toEqualTypeOf<Promise<RunResult>>()
    expectTypeOf(() => run(agent, 'x')).returns.toEqualTypeOf<Promise<RunResult>>()
  })
})
