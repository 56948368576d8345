import { expect, test } from 'vitest'
import { z } from 'zod'
import { run } from '../../src/index.ts'
import { ModelResponseInvalid } from '../../src/ports.ts'
import { ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { failedWith } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

test('defaults of the schema are recorded, shown, hashed and run; unknown keys are gone', async () => {
  const parameters = z.object({ to: z.string(), currency: z.string().default('EUR') })
  const pay = gated('pay', { parameters })
  const { agent } = scripted(
    [
      calls(
        ['a', 'pay', { to: 'x', junk: 1 }],
        ['b', 'pay', { to: 'x', currency: 'EUR' }],
        ['c', 'pay', { to: 'x', currency: 'USD' }],
      ),
      'Done.',
    ],
    [pay],
  )
  const paused = await run(agent, 'go')
  const [a, b, c] = paused.interruptions
  expect([a?.args, b?.args]).toEqual([
    { to: 'x', currency: 'EUR' },
    { to: 'x', currency: 'EUR' },
  ])
  expect(a?.digest).toBe(b?.digest)
  expect(a?.digest).not.toBe(c?.digest)
  await paused.state.decide({ decisions: [{ type: 'approve' }, { type: 'reject' }, { type: 'reject' }] })
  await run(agent, paused.state)
  expect(pay.runs.map(({ args }) => args)).toEqual([{ to: 'x', currency: 'EUR' }])
})

test('arguments that do not fit are an error for the model; nobody is asked and nothing runs', async () => {
  const pay = gated('pay', { parameters: z.object({ amount: z.number().positive() }) })
  const { agent, model } = scripted(
    [
      {
        toolCalls: [
          { id: 'a', name: 'pay', args: { amount: 'x' } },
          { id: 'b', name: 'pay', args: {} },
          { id: 'c', name: 'pay', argsText: '{"amount": ' },
          { id: 'd', name: 'pay', argsText: '[1]' },
          { id: 'e', name: 'pay', argsText: '"x"' },
          { id: 'f', name: 'pay', argsText: '{"amount": 12345678901234567890}' },
          { id: 'g', name: 'pay', argsText: '{"amount": 1e400}' },
          { id: 'h', name: 'pay', args: null as never },
          { id: 'i', name: 'pay' } as never,
          { id: 'j', name: 'pay', args: { amount: Number.NaN } },
          { id: 'k', name: 'pay', args: { amount: 1n } as never },
          { id: 'l', name: 'pay', argsText: 5 as never },
          { id: 'm', name: 'nope', args: {} },
        ],
      },
      'Done.',
    ],
    [pay],
  )
  const result = await run(agent, 'go')
  expect(result.status).toBe('completed')
  expect(pay.runs).toEqual([])
  const messages = (model.requests[1]?.messages ?? []).filter(({ role }) => role === 'tool')
  expect(messages.map((message) => 'toolCallId' in message && message.toolCallId)).toEqual([...'abcdefghijklm'])
  for (const message of messages) expect(message).toMatchObject({ isError: true, content: expect.stringMatching(/./) })
  expect(resultsIn(messages)[0]?.[1]).toContain('amount')
  expect(resultsIn(messages).at(-1)?.[1]).toContain('no tool "nope". The tools are: pay')
})

test('what the model sent stays in the history as it was sent', async () => {
  const { agent, model } = scripted(
    [{ toolCalls: [{ id: 'a', name: 'pay', argsText: '{"amount": 1' }] }, 'Done.'],
    [gated('pay')],
  )
  await run(agent, 'go')
  expect(model.requests[1]?.messages[1]).toMatchObject({ toolCalls: [{ id: 'a', args: {}, argsText: '{"amount": 1' }] })
})

test('arguments as text are read as JSON, 1.0 being 1', async () => {
  const pay = free('pay')
  const { agent } = scripted(
    [
      {
        toolCalls: [{ id: 'a', name: 'pay', argsText: ' {"n": 1.0, "s": "\\u00e9", "big": "12345678901234567890"} ' }],
      },
      'Done.',
    ],
    [pay],
  )
  await run(agent, 'go')
  expect(pay.runs[0]?.args).toEqual({ n: 1, s: 'é', big: '12345678901234567890' })
})

test('an unknown tool may be worded by the formatter', async () => {
  const { agent, model } = scripted([calls(['a', 'nope']), 'Done.'], [])
  await run(agent, 'go', { toolErrorFormatter: ({ kind, toolName }) => `${kind}: ${toolName}` })
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ content: 'tool_not_found: nope', isError: true })
})

test('the same call twice in one answer is one call', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay', { x: 1, y: 2 }], ['a', 'pay', { y: 2, x: 1 }]), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  await paused.state.approve(only(paused))
  await run(agent, paused.state)
  expect(pay.runs).toHaveLength(1)
  expect(resultsIn(model.requests[1]?.messages)).toHaveLength(1)
})

test('one id for two different calls refuses the whole answer: nothing is stored, nothing runs', async () => {
  const pay = free('pay')
  const { agent } = scripted([calls(['b', 'pay'], ['a', 'pay', { n: 1 }], ['a', 'pay', { n: 2 }]), 'Done.'], [pay])
  const failed = await run(agent, 'go')
  failedWith(failed, ModelResponseInvalid, 'model_response_invalid')
  expect(pay.runs).toEqual([])
  expect(failed.state.messages).toHaveLength(1)
  expect((await run(agent, failed.state)).finalOutput).toBe('Done.')
})

test('calls without an id get one of their own', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted(
    [
      {
        toolCalls: [
          { id: '', name: 'pay', args: {} },
          { name: 'pay', args: {} },
        ],
      },
      'Done.',
    ],
    [pay],
  )
  const paused = await run(agent, 'go')
  const ids = paused.interruptions.map(({ toolCallId }) => toolCallId!)
  expect(new Set(ids).size).toBe(2)
  expect(ids.every((id) => id.length > 4)).toBe(true)
  await paused.state.decide({ decisions: [{ type: 'approve' }, { type: 'approve' }] })
  await run(agent, paused.state)
  expect(resultsIn(model.requests[1]?.messages).map(([id]) => id)).toEqual(ids)
})

test('a schema that throws is a mistake of the developer: the run fails, nothing runs, nobody is asked', async () => {
  const parameters = z.object({ n: z.number() }).refine(() => {
    throw new Error('schema bug')
  })
  const pay = gated('pay', { parameters: parameters as never })
  const { agent } = scripted([calls(['a', 'pay', { n: 1 }])], [pay])
  const failed = await run(agent, 'go')
  expect(failedWith(failed, ToolInvalid, 'tool_invalid').message).toMatch(/pay.*schema bug/)
  expect([pay.runs, failed.interruptions]).toEqual([[], []])
})

test('keys that are special to JavaScript are ordinary arguments', async () => {
  const pay = gated('pay')
  const text = '{"__proto__": {"polluted": true}, "constructor": 1, "toString": 2}'
  const { agent } = scripted([{ toolCalls: [{ id: 'a', name: 'pay', argsText: text }] }, 'Done.'], [pay])
  const paused = await run(agent, 'go')
  expect(Object.getPrototypeOf(only(paused).args)).toBe(Object.prototype)
  await paused.state.approve('a')
  expect((await run(agent, paused.state)).status).toBe('completed')
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect(Object.getPrototypeOf(pay.runs[0]?.args)).toBe(Object.prototype)
  expect(JSON.stringify(pay.runs[0]?.args)).toBe(JSON.stringify(only(paused).args))
})
