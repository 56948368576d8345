import type { LanguageModelV2, LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV3 } from 'ai/test'
import { expect, expectTypeOf, test } from 'vitest'
import { type AiSdkLanguageModel, aiSdkModel } from '../../../src/ai-sdk.ts'
import { Agent, ModelFailed, run } from '../../../src/index.ts'
import { InputInvalid, ModelResponseInvalid } from '../../../src/ports.ts'
import { failedWith } from '../../support/agents/failures.ts'
import { free, gated } from '../../support/agents/recording-tools.ts'
import { failureOf, finish, handmade, mock, partsOf, stop, text, USAGE } from './mock-models.ts'

const call = (id: string, input: string, more: object = {}): LanguageModelV3StreamPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'pay',
  input,
  ...more,
})

test('models of the AI SDK work unchanged', () => {
  expectTypeOf<LanguageModelV2>().toExtend<AiSdkLanguageModel>()
  expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>()
})

test('parts are handed on as they come, and the last has the usage', async () => {
  const model = mock([
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'r1' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'I will ' },
    { type: 'text-delta', id: '1', delta: '' },
    { type: 'text-delta', id: '1', delta: 'pay.' },
    { type: 'text-end', id: '1' },
    { type: 'tool-input-start', id: 'a', toolName: 'pay' },
    { type: 'tool-input-delta', id: 'a', delta: '{"n":1}' },
    { type: 'tool-input-end', id: 'a' },
    call('a', '{"n":1}'),
    { type: 'raw', rawValue: {} },
    finish('tool-calls'),
  ])
  const made = aiSdkModel(model)
  expect(made.name).toBe('acme.chat/m1')
  expect(await partsOf(made)).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'I will ' },
    { type: 'text', text: 'pay.' },
    { type: 'tool-call', call: { id: 'a', name: 'pay', argsText: '{"n":1}' } },
    {
      type: 'finish',
      usage: { inputTokens: 10, outputTokens: 4 },
      providerData: { aiSdk: { provider: 'acme.chat', model: 'm1' } },
    },
  ])
})

test('a plain text answer keeps no provider data', async () => {
  const empty = { ...stop, providerMetadata: { acme: {} } }
  expect(await partsOf(aiSdkModel(mock([...text('Hi.'), empty])))).toEqual([
    { type: 'text', text: 'Hi.' },
    { type: 'finish', usage: { inputTokens: 10, outputTokens: 4 } },
  ])
})

test('a non-streamed answer gives the same result', async () => {
  const model = new MockLanguageModelV3({
    provider: 'acme.chat',
    doGenerate: {
      content: [
        { type: 'reasoning', text: 'hm', providerMetadata: { acme: { signature: 's' } } },
        { type: 'text', text: 'I will pay.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: '{"n":1}' },
      ],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage: USAGE,
      warnings: [{ type: 'unsupported', feature: 'seed' }],
    },
  })
  const warnings: unknown[] = []
  const parts = await partsOf(aiSdkModel(model, { stream: false, onWarning: (warning) => warnings.push(warning) }))
  expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-call', 'finish'])
  expect(parts[3]).toMatchObject({
    providerData: {
      aiSdk: { parts: [{ type: 'reasoning', chars: 2, providerOptions: { acme: { signature: 's' } } }, {}, {}] },
    },
  })
  expect(warnings).toEqual([{ type: 'unsupported', feature: 'seed' }])
  expect(model.doStreamCalls).toHaveLength(0)
})

test('token counts are read in the shapes of every version, and what is not a number is left out', async () => {
  const usages: [unknown, object | undefined][] = [
    [
      { inputTokens: 3, outputTokens: 4, totalTokens: 9 },
      { inputTokens: 3, outputTokens: 4, totalTokens: 9 },
    ],
    [{ inputTokens: Number.NaN, outputTokens: undefined, totalTokens: undefined }, undefined],
    [{ inputTokens: { total: 3 }, outputTokens: { total: undefined } }, { inputTokens: 3 }],
    [undefined, undefined],
  ]
  for (const [usage, expected] of usages) {
    const { model } = handmade('v2', [...text('x'), { type: 'finish', usage, finishReason: 'stop' }])
    expect((await partsOf(aiSdkModel(model))).at(-1)).toEqual({
      type: 'finish',
      ...(expected ? { usage: expected } : {}),
    })
  }
})

test('a file that the model made is a part of the answer', async () => {
  const png = new Uint8Array([1, 2, 3])
  const agent = (model: AiSdkLanguageModel) => new Agent({ name: 'x', model: aiSdkModel(model) })
  const file: LanguageModelV3StreamPart = { type: 'file', mediaType: 'image/png', data: png }
  const result = await run(agent(mock([...text('Look: '), file, ...text('nice?', '2'), stop])), 'draw')
  expect(result.finalOutput).toBe('Look: nice?')
  const content = [
    { type: 'text', text: 'Look: ' },
    { type: 'file', mediaType: 'image/png', data: 'AQID' },
    { type: 'text', text: 'nice?' },
  ]
  expect(result.state.messages[1]).toMatchObject({ content })
  const v4 = handmade('v4', [{ ...file, data: { type: 'data', data: png } }, stop])
  expect((await run(agent(v4.model), 'draw')).state.messages[1]).toMatchObject({ content: [content[1]] })
})

test('missing arguments are an empty object; truncated ones never run', async () => {
  const [parts] = await partsOf(aiSdkModel(mock([call('a', ''), finish('tool-calls')])))
  expect(parts).toMatchObject({ call: { argsText: '{}' } })
  const pay = free('pay')
  const model = mock([call('a', '{"n": 1'), finish('tool-calls')], [...text('Sorry.'), stop])
  const result = await run(new Agent({ name: 'x', model: aiSdkModel(model), tools: [pay] }), 'go')
  expect(result.status).toBe('completed')
  expect(pay.runs).toEqual([])
  expect(JSON.stringify(model.doStreamCalls[1]?.prompt)).toContain('not JSON')
})

test('a call truncated by the token limit does not run, even if it looks complete', async () => {
  const begun: LanguageModelV3StreamPart = { type: 'tool-input-start', id: 'b', toolName: 'pay' }
  for (const parts of [[call('a', '{}')], [begun], [call('a', '{}'), begun]]) {
    const pay = free('pay')
    const model = aiSdkModel(mock([...parts, finish('length')]))
    const failed = await run(new Agent({ name: 'x', model, tools: [pay] }), 'go')
    expect(failedWith(failed, ModelResponseInvalid, 'model_response_invalid').message).toContain(
      'raise maxOutputTokens',
    )
    expect(pay.runs).toEqual([])
    expect(failed.state.messages).toHaveLength(1)
  }
})

test('a text truncated by the token limit is an answer, marked as truncated', async () => {
  const model = aiSdkModel(mock([...text('Once upon'), finish('length')]))
  const result = await run(new Agent({ name: 'x', model }), 'go')
  expect(result.finalOutput).toBe('Once upon')
  expect(result.state.messages[1]).toMatchObject({ providerData: { aiSdk: { finishReason: 'length' } } })
})

test('an answer that ends badly is a failure, not an answer', async () => {
  const unknown = { ...stop, usage: {} as never, finishReason: { unified: 'other', raw: undefined } } as const
  const cases: [LanguageModelV3StreamPart[], string, boolean][] = [
    [[...text('x'), finish('error')], 'stopped with an error', true],
    [[...text('x'), finish('content-filter')], 'content filter', false],
    [[...text('x'), unknown], 'broke off', true],
    [text('x'), 'broke off', true],
    [[...text('x'), { type: 'error', error: 'quota is used up' }], 'quota is used up', false],
    [[...text('x'), { type: 'error', error: { type: 'overloaded_error', message: 'busy.' } }], ': busy. Nothing', true],
    [[...text('x'), { type: 'error', error: { odd: 1 } }], '{"odd":1}', false],
  ]
  for (const [parts, words, retryable] of cases) {
    const { error, shown } = await failureOf(aiSdkModel(mock(parts)))
    expect(error).toBeInstanceOf(ModelFailed)
    expect(error.message).toContain(words)
    expect(error.message).toContain('acme.chat/m1')
    expect((error as ModelFailed).retryable).toBe(retryable)
    expect(shown).toEqual([{ type: 'text', text: 'x' }])
  }
})

test('a complete answer counts as complete, also without a finish reason', async () => {
  const model = new MockLanguageModelV3({
    doGenerate: {
      content: [{ type: 'text', text: 'x' }],
      finishReason: { unified: 'other', raw: undefined },
      usage: {} as never,
      warnings: [],
    },
  })
  expect(await partsOf(aiSdkModel(model, { stream: false }))).toMatchObject([{ text: 'x' }, { type: 'finish' }])
})

test('a call that started and never completed is no answer', async () => {
  const begun: LanguageModelV3StreamPart = { type: 'tool-input-start', id: 'b', toolName: 'pay' }
  const { error } = await failureOf(aiSdkModel(mock([...text('x'), begun, stop])))
  expect(error).toBeInstanceOf(ModelResponseInvalid)
  expect(error.message).toContain('started to call pay')
  const own = { ...begun, providerExecuted: true }
  expect(await partsOf(aiSdkModel(mock([own, ...text('x'), stop])))).toHaveLength(2)
})

test('a tool that the provider runs is not ours to run, and goes back to it as it was', async () => {
  const pay = gated('pay')
  const own: LanguageModelV3StreamPart[] = [
    call('s', '{"q":"x"}', { toolName: 'search', providerExecuted: true, providerMetadata: { acme: { id: 1 } } }),
    { type: 'tool-result', toolCallId: 's', toolName: 'search', result: { half: true }, preliminary: true },
    { type: 'tool-result', toolCallId: 's', toolName: 'search', result: { hits: 2 } },
    { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com/' },
  ]
  const model = mock([...own, ...text('Found.'), call('a', '{}'), finish('tool-calls')], [...text('Done.'), stop])
  const agent = new Agent({ name: 'x', model: aiSdkModel(model), tools: [pay] })
  const paused = await run(agent, 'go')
  expect(paused.interruptions.map(({ toolName }) => toolName)).toEqual(['pay'])
  expect(paused.state.messages[1]).toMatchObject({
    providerData: { aiSdk: { sources: [{ url: 'https://example.com/' }] } },
  })
  await paused.state.approve('a')
  expect((await run(agent, paused.state)).finalOutput).toBe('Done.')
  expect(model.doStreamCalls[1]?.prompt[1]).toEqual({
    role: 'assistant',
    content: [
      {
        type: 'tool-call',
        toolCallId: 's',
        toolName: 'search',
        input: { q: 'x' },
        providerExecuted: true,
        providerOptions: { acme: { id: 1 } },
      },
      { type: 'tool-result', toolCallId: 's', toolName: 'search', output: { type: 'json', value: { hits: 2 } } },
      { type: 'text', text: 'Found.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} },
    ],
  })
})

test('a model of an unknown specification and unknown options are refused', () => {
  const { model } = handmade('v3')
  const wrong: unknown[] = [
    'openai/gpt-5',
    null,
    { specificationVersion: 'v1' },
    { specificationVersion: 'v5' },
    { ...model, doStream: 1 },
  ]
  for (const value of wrong) expect(() => aiSdkModel(value as never)).toThrow(InputInvalid)
  const options: object[] = [
    { temprature: 1 },
    { retries: -1 },
    { retries: 1.5 },
    { retryDelaySeconds: -1 },
    { timeoutSeconds: 0 },
    { maxOutputTokens: 0 },
    { temperature: 'hot' },
    { toolChoice: 'any' },
    { toolChoice: { type: 'tool' } },
    { systemMessages: 'last' },
  ]
  for (const value of options) expect(() => aiSdkModel(model, value)).toThrow(InputInvalid)
})
