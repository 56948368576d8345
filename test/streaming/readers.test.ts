import { describe, expect, it } from 'vitest'
import { Agent, run } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { EventQueue } from '../../src/runtime/events/event-queue.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { partsIn, partwise, storedTypes, streaming } from '../support/agents/streaming-agent.ts'
import { latch } from '../support/latch.ts'
import { readAll } from '../support/read-all.ts'

describe('the text of a stream', () => {
  it('comes piece by piece, without anything else', async () => {
    const { agent } = streaming(
      [{ text: 'I look. ', toolCalls: [{ id: 'a', name: 'look', args: {} }] }, 'Seen it.'],
      [free('look')],
    )
    const stream = await run(agent, 'go', { stream: true })
    const text = stream.toTextStream()
    expect(text).toBeInstanceOf(ReadableStream)
    expect(await readAll(text)).toEqual(['I ', 'look. ', 'Seen ', 'it.'])
    expect(stream.finalOutput).toBe('Seen it.')
  })

  it('is whole if the model does not answer in parts', async () => {
    const { agent } = scripted(['Both words.'])
    expect(await readAll((await run(agent, 'go', { stream: true })).toTextStream())).toEqual(['Both words.'])
  })

  it('is a body that a response can be made of', async () => {
    const { agent } = streaming(['Good day.'])
    const stream = await run(agent, 'go', { stream: true })
    const response = new Response(stream.toTextStream().pipeThrough(new TextEncoderStream()))
    expect(await response.text()).toBe('Good day.')
  })

  it('stops the run when its reader goes away', async () => {
    const { agent } = streaming(['one two three'])
    const stream = await run(agent, 'go', { stream: true })
    const reader = stream.toTextStream().getReader()
    expect(await reader.read()).toEqual({ done: false, value: 'one ' })
    await reader.cancel()
    // The run was faster than its reader, or it was stopped: both are settled.
    expect(['completed', 'incomplete']).toContain(stream.status)
  })
})

describe('the reader of a stream', () => {
  it('may stay away: the run neither waits for it nor fails', async () => {
    const { agent } = streaming([calls(['a', 'look']), 'Done.'], [free('look')])
    const stream = await run(agent, 'go', { stream: true })
    expect((await stream.completed).status).toBe('completed')
  })

  it('may come late and misses nothing', async () => {
    const { agent } = streaming([calls(['a', 'pay']), 'Done.'], [gated('pay')])
    const stream = await run(agent, 'go', { stream: true })
    await stream.completed
    expect(storedTypes(await readAll(stream))).toEqual(['agent_start', 'turn_start', 'message', 'hitl_request'])
  })

  it('gets text in larger pieces if it is far behind, and all of it', async () => {
    const words = Array.from({ length: 10_000 }, (_word, i) => `w${i} `)
    const { agent } = streaming([words.join('')])
    const stream = await run(agent, 'go', { stream: true })
    await stream.completed
    const events = await readAll(stream)
    expect(events.length).toBeLessThan(300)
    expect(
      partsIn(events)
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join(''),
    ).toBe(words.join(''))
    for (const [at, event] of events.entries()) if (at > 0) expect(event.seq).toBeGreaterThan(events[at - 1]!.seq)
  })

  it('is one: a second one is refused instead of getting every other event', async () => {
    const { agent } = streaming(['Hi.'])
    const stream = await run(agent, 'go', { stream: true })
    const reading = readAll(stream)
    await refused(
      readAll({ [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator]() }),
      InputInvalid,
      'input_invalid',
    )
    expect(() => stream.toTextStream()).toThrow(InputInvalid)
    expect((await reading).length).toBeGreaterThan(3)
  })

  it('may ask for several events at once and gets them in order', async () => {
    const more = latch()
    const model = partwise(async function* () {
      await more.passed
      yield { type: 'text', text: 'Hi.' }
      yield { type: 'finish' }
    })
    const stream = await run(new Agent({ name: 'clerk', model }), 'go', { stream: true })
    const events = stream[Symbol.asyncIterator]()
    const asked = Array.from({ length: 8 }, () => events.next())
    more.open()
    const got = await Promise.all(asked)
    expect(got.map(({ value }) => value?.type)).toEqual([
      'agent_start',
      'turn_start',
      'model_part',
      'message',
      'turn_end',
      'agent_end',
      undefined,
      undefined,
    ])
  })
})

describe('the queue', () => {
  const part = (seq: number, text: string, path = ['a']) =>
    ({ type: 'model_part', seq, replayed: false, path, depth: 0, turn: 1, part: { type: 'text', text } }) as const

  it('joins only pieces of one text', async () => {
    const queue = new EventQueue()
    for (let i = 1; i <= 256; i++)
      queue.push({ type: 'turn_start', turn: i, seq: i, replayed: false, path: ['a'], depth: 0 })
    queue.push(part(257, 'x'))
    queue.push(part(258, 'y'))
    queue.push(part(259, 'z', ['a', 'b']))
    queue.push({ ...part(260, 'q'), part: { type: 'reasoning', text: 'q' } })
    queue.end()
    const read = []
    for (;;) {
      const { done, value } = await queue.next()
      if (done) break
      read.push(value)
    }
    expect(read.slice(256)).toMatchObject([
      { seq: 258, part: { text: 'xy' } },
      { seq: 259, part: { text: 'z' } },
      { seq: 260, part: { type: 'reasoning' } },
    ])
  })
})
