import { expect, test } from 'vitest'
import { run } from '../../src/index.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

async function resultOf(execute: () => unknown, options: { timeoutSeconds?: number } = {}) {
  const { agent, model } = scripted([calls(['a', 't']), 'Done.'], [free('t', { execute, ...options })])
  const result = await run(agent, 'go')
  expect(result.status).toBe('completed')
  const { role: _role, toolCallId: _id, toolName: _name, ...said } = toolMessage(model.requests[1]?.messages)
  return said
}

test('what a tool returns reaches the model: strings unchanged, data as JSON, parts as parts, nothing as an empty string', async () => {
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'file', mediaType: 'text/plain', data: 'aGk=' },
  ]
  expect(await resultOf(() => 'hello')).toEqual({ content: 'hello' })
  expect(await resultOf(() => undefined)).toEqual({ content: '' })
  expect(await resultOf(() => '')).toEqual({ content: '' })
  expect(await resultOf(() => null)).toEqual({ content: 'null', data: null })
  expect(await resultOf(() => 0)).toEqual({ content: '0', data: 0 })
  expect(await resultOf(() => ({ a: [1, 'x'], gone: undefined }))).toEqual({
    content: '{"a":[1,"x"]}',
    data: { a: [1, 'x'] },
  })
  expect(await resultOf(() => [])).toEqual({ content: '[]', data: [] })
  expect(await resultOf(() => [1, 2])).toEqual({ content: '[1,2]', data: [1, 2] })
  expect(await resultOf(() => parts)).toEqual({ content: parts })
  expect(await resultOf(async () => new Date(0))).toMatchObject({ data: '1970-01-01T00:00:00.000Z' })
})

test('a result that cannot be stored is an error for the model that says that the tool did run', async () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  let deep: unknown = 1
  for (let i = 0; i < 100_000; i++) deep = [deep]
  for (const value of [circular, 10n, { n: 10n }, () => 1, Symbol('x'), 'half \ud83d', { s: '\ud83d' }, deep]) {
    const said = await resultOf(() => value)
    expect(said).toMatchObject({ isError: true, content: expect.stringContaining('The tool ran') })
  }
})

test('a tool that throws, whatever it throws, fails its call alone', async () => {
  const thrown: [unknown, string][] = [
    [new Error('boom'), 'boom'],
    [new TypeError('bad'), 'bad'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Symbol('x'), 'Symbol(x)'],
    [Object.create(null), ''],
    [{ toString: () => Promise.reject }, ''],
  ]
  for (const [value, text] of thrown) {
    for (const execute of [
      () => {
        throw value
      },
      () => Promise.reject(value),
    ]) {
      expect(await resultOf(execute)).toMatchObject({
        isError: true,
        content: expect.stringContaining(`The tool failed: ${text}`),
      })
    }
  }
})

test('a tool that takes too long is stopped and the model is told that the outcome is not known', async () => {
  let signal: AbortSignal | undefined
  const slow = free('slow', {
    timeoutSeconds: 0.02,
    execute: (_args: unknown, ctx) => {
      signal = ctx.signal
      return new Promise((_resolve, reject) =>
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error)),
      )
    },
  })
  const { agent, model } = scripted([calls(['a', 'slow']), 'Done.'], [slow])
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(signal?.aborted).toBe(true)
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
    isError: true,
    content: expect.stringMatching(/0\.02 s.*not known/),
  })
})

test('a tool within its time is not touched by the limit', async () => {
  expect(await resultOf(() => 'quick', { timeoutSeconds: 5 })).toEqual({ content: 'quick' })
})

test('an edited call tells the model so, also when it fails or takes too long', async () => {
  const boom = () => {
    throw new Error('boom')
  }
  const never = () => new Promise(() => undefined)
  for (const [execute, said] of [
    [boom, /changed this call.*\n.*boom/s],
    [never, /changed this call.*\n.*did not finish/s],
  ] as const) {
    const pay = gated('pay', { execute, timeoutSeconds: 0.02 })
    const { agent, model } = scripted([calls(['a', 'pay', { n: 1 }]), 'Done.'], [pay])
    const paused = await run(agent, 'go')
    await paused.state.edit(only(paused), { args: { n: 2 } })
    await run(agent, paused.state)
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
      isError: true,
      content: expect.stringMatching(said),
      data: { edited: { args: { n: 2 } } },
    })
  }
})

test('a tool that changes its arguments changes nothing that is stored', async () => {
  const pay = gated('pay', { execute: (args: { list: number[] }) => args.list.push(666) } as never)
  const { agent } = scripted([calls(['a', 'pay', { list: [1] }]), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  await paused.state.approve('a')
  const result = await run(agent, paused.state)
  expect(pay.runs[0]?.args).toEqual({ list: [1, 666] })
  expect(result.state.messages[1]).toMatchObject({ toolCalls: [{ args: { list: [1] } }] })
})
