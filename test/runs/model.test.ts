import { expect, test } from 'vitest'
import { Agent, type Model, ModelFailed, RunState, run } from '../../src/index.ts'
import { ModelResponseInvalid } from '../../src/ports.ts'
import { AgentInvalid } from '../../src/protocol/errors/errors.ts'
import { ScriptExhausted, scriptedModel } from '../../src/testing/scripted-model.ts'
import { failedWith } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

test('a model that fails before a tool ran is asked again on resume, with the same messages', async () => {
  const { agent, model } = scripted([new Error('overloaded'), 'Done.'])
  const failed = await run(agent, 'go')
  const error = failedWith(failed, ModelFailed, 'model_failed')
  expect(error.retryable).toBe(true)
  expect((error.cause as Error).message).toBe('overloaded')
  expect((await run(agent, await RunState.fromString(agent, failed.state.toString()))).finalOutput).toBe('Done.')
  expect(model.requests[1]).toEqual(model.requests[0])
})

test('a model that fails after an approved tool ran never makes it run again', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay']), new Error('one'), new Error('two'), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  await paused.state.approve('a')
  let result = await run(agent, paused.state)
  for (let i = 0; i < 2; i++) {
    failedWith(result, ModelFailed, 'model_failed')
    result = await run(agent, await RunState.fromString(agent, result.state.toString()))
  }
  expect(result.finalOutput).toBe('Done.')
  expect(pay.runs).toHaveLength(1)
  expect(resultsIn(model.requests[3]?.messages)).toEqual([['a', 'pay done']])
})

test('a model may answer in parts', async () => {
  const pay = gated('pay')
  const model = scriptedModel(
    [
      { text: 'I will pay.', toolCalls: [{ id: 'a', name: 'pay', argsText: '{"n":1}' }], usage: { inputTokens: 3 } },
      'All is done.',
    ],
    { stream: true },
  )
  const agent = new Agent({ name: 'clerk', model, tools: [pay] })
  const paused = await run(agent, 'go')
  expect(paused.usage.inputTokens).toBe(3)
  await paused.state.approve(only(paused))
  expect((await run(agent, paused.state)).finalOutput).toBe('All is done.')
  expect(model.requests[1]?.messages[1]).toMatchObject({
    content: 'I will pay.',
    toolCalls: [{ id: 'a', args: { n: 1 } }],
  })
})

test('reasoning and provider data are kept and sent back', async () => {
  const requests: unknown[] = []
  const model: Model = {
    async *respond({ messages }) {
      requests.push(structuredClone(messages))
      yield { type: 'reasoning', text: 'hm, ' }
      yield { type: 'reasoning', text: 'yes' }
      if (requests.length === 1)
        yield { type: 'tool-call', call: { id: 'a', name: 'look', args: {}, providerData: { sig: 1 } } }
      yield { type: 'finish', providerData: { response: 'r1' } }
    },
  }
  await run(new Agent({ name: 'x', model, tools: [free('look')] }), 'go')
  expect(requests[1]).toMatchObject([
    { role: 'user' },
    {
      reasoning: [{ type: 'text', text: 'hm, yes' }],
      providerData: { response: 'r1' },
      toolCalls: [{ providerData: { sig: 1 } }],
    },
    { role: 'tool' },
  ])
})

test('a stream that breaks off is no answer: nothing of it is stored', async () => {
  const pay = free('pay')
  const endings: Model['respond'][] = [
    async function* () {
      yield { type: 'tool-call', call: { id: 'a', name: 'pay', args: {} } }
    },
    async function* () {
      yield { type: 'text', text: 'half' }
      throw new Error('connection lost')
    },
  ]
  const codes: unknown[] = []
  for (const respond of endings) {
    const failed = await run(new Agent({ name: 'x', model: { respond }, tools: [pay] }), 'go')
    codes.push(failed.error?.code)
    expect(failed.state.messages).toHaveLength(1)
  }
  expect(codes).toEqual(['model_response_invalid', 'model_failed'])
  expect(pay.runs).toEqual([])
})

test('an answer that is not one is refused, and nothing of it is stored but that it was paid for', async () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const answers: unknown[] = [
    undefined,
    null,
    'text',
    { content: 5 },
    { content: [{ type: 'video' }] },
    { toolCalls: {} },
    { toolCalls: [null] },
    { toolCalls: [{ id: 'a' }] },
    { toolCalls: [{ id: 'a', name: 7, args: {} }] },
    { content: 'x', providerData: circular },
    { content: 'x', providerData: { big: 1n } },
    { content: 'x', reasoning: 'because' },
    { content: 'x', usage: { inputTokens: 'many' } },
  ]
  for (const answer of answers) {
    const failed = await run(new Agent({ name: 'x', model: { respond: async () => answer as never } }), 'go')
    failedWith(failed, ModelResponseInvalid, 'model_response_invalid')
    expect(failed.state.messages).toHaveLength(1)
    expect(failed.state.usage.requests).toBe(1)
  }
})

test('a model that returns no promise and no stream has failed', async () => {
  const failed = await run(new Agent({ name: 'x', model: { respond: () => undefined as never } }), 'go')
  failedWith(failed, ModelFailed, 'model_failed')
})

test('instructions that throw are a mistake of the developer, not of the store', async () => {
  const { agent } = scripted(['Done.'], [], {
    instructions() {
      throw new Error('no template')
    },
  })
  const failed = await run(agent, 'go')
  expect(failedWith(failed, AgentInvalid, 'agent_invalid').message).toContain('no template')
})

test('a script that is asked too often says so', async () => {
  failedWith(await run(scripted([]).agent, 'go'), ScriptExhausted, 'script_exhausted')
})

test('the model sees the tools as they are defined', async () => {
  const { agent, model } = scripted(['Done.'], [free('look', { description: 'looks' })], { instructions: 'be kind' })
  await run(agent, 'go')
  expect(model.requests[0]).toMatchObject({
    instructions: 'be kind',
    tools: [{ name: 'look', description: 'looks', parameters: { type: 'object' } }],
  })
})
