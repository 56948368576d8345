import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { aiSdkModel } from '../../../src/ai-sdk.ts'
import { Agent, type Message, run } from '../../../src/index.ts'
import { InputInvalid, type ModelRequest } from '../../../src/ports.ts'
import { free } from '../../support/agents/recording-tools.ts'
import { failureOf, finish, handmade, mock, partsOf, stop, text } from './mock-models.ts'

/** The prompt that a model of this version gets, and the other options. */
async function asked(given: Partial<ModelRequest>, options: Parameters<typeof aiSdkModel>[1] = {}, version = 'v3') {
  const { model, calls } = handmade(version, [...text('x'), stop])
  await partsOf(aiSdkModel(model, options), given)
  return calls[0]!
}

async function promptOf(messages: Message[], version = 'v3', options: Parameters<typeof aiSdkModel>[1] = {}) {
  return (await asked({ messages }, options, version)).prompt
}

const file = (data: string) => ({ type: 'file' as const, mediaType: 'image/png', name: 'a.png', data })

test('instructions, messages, calls and results become a prompt', async () => {
  const messages: Message[] = [
    { role: 'system', content: 'Speak softly.' },
    { role: 'user', content: 'Pay both.' },
    {
      role: 'assistant',
      content: 'I will.',
      toolCalls: [
        { id: 'a', name: 'pay', args: { n: 1 } },
        { id: 'b', name: 'pay', args: {}, argsText: '{"n":' },
      ],
    },
    { role: 'tool', toolCallId: 'a', toolName: 'pay', content: '{"ok":true}', data: { ok: true } },
    { role: 'tool', toolCallId: 'b', toolName: 'pay', content: 'not JSON', isError: true },
    { role: 'assistant', content: '' },
  ]
  const { prompt } = await asked({ instructions: 'Be kind.', messages })
  expect(prompt).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'system', content: 'Speak softly.' },
    { role: 'user', content: [{ type: 'text', text: 'Pay both.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I will.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: { n: 1 } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'pay', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'pay', output: { type: 'json', value: { ok: true } } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'pay', output: { type: 'error-text', value: 'not JSON' } },
      ],
    },
  ])
})

test('a system message in the middle is sent as a user message, unless the provider takes it', async () => {
  const messages: Message[] = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'Stop.' },
  ]
  expect((await promptOf(messages))[1]).toEqual({
    role: 'user',
    content: [{ type: 'text', text: '<system>\nStop.\n</system>' }],
  })
  expect((await promptOf(messages, 'v3', { systemMessages: 'anywhere' }))[1]).toEqual({
    role: 'system',
    content: 'Stop.',
  })
})

test('files go as each version has them: base64, addresses, and stored content', async () => {
  const ref = { sha256: 'f00', bytes: 3, mediaType: 'image/png' }
  const content = [
    { type: 'json' as const, value: { n: 1 } },
    file('AQID'),
    file('data:image/png;base64,AQID'),
    file('data:,%01%02%03'),
    file('https://example.com/a.png'),
    { type: 'file' as const, mediaType: 'image/png', data: ref },
  ]
  const readBlob = async () => new Uint8Array([1, 2, 3])
  const url = new URL('https://example.com/a.png')
  const of = { type: 'file', mediaType: 'image/png', filename: 'a.png' }
  for (const version of ['v2', 'v3'] as const) {
    const [message] = await promptOf([{ role: 'user', content }], version, { readBlob })
    expect(message?.content).toEqual([
      { type: 'text', text: '{"n":1}' },
      { ...of, data: 'AQID' },
      { ...of, data: 'AQID' },
      { ...of, data: 'AQID' },
      { ...of, data: url },
      { type: 'file', mediaType: 'image/png', data: 'AQID' },
    ])
  }
  const [message] = await promptOf([{ role: 'user', content }], 'v4', { readBlob })
  expect(message?.content.slice(3)).toEqual([
    { ...of, data: { type: 'data', data: 'AQID' } },
    { ...of, data: { type: 'url', url } },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
  ])
})

test('a file that cannot be sent is refused with a helpful message, without retries', async () => {
  const ref = { sha256: 'f00', bytes: 3, mediaType: 'image/png' }
  const contents: Message[] = [
    { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: ref }] },
    { role: 'user', content: [file('1: two')] },
    { role: 'system', content: [file('AQID')] },
  ]
  for (const message of contents) {
    const { error } = await failureOf(aiSdkModel(handmade('v3', [stop]).model), { messages: [message] })
    expect(error).toBeInstanceOf(InputInvalid)
  }
})

test('results with parts go as text, as JSON, or as the content that each version has', async () => {
  const result = (content: Message['content'], more: object = {}): Message => ({
    role: 'tool',
    toolCallId: 'a',
    toolName: 'look',
    content,
    ...more,
  })
  const outputOf = async (message: Message, version = 'v3') => {
    const [sent] = await promptOf([message], version)
    return (sent!.content[0] as { output: unknown }).output
  }
  const words = { type: 'text' as const, text: 'See' }
  const data = { type: 'json' as const, value: { n: 1 } }
  expect(await outputOf(result([words, data]))).toEqual({ type: 'text', value: 'See\n{"n":1}' })
  expect(await outputOf(result([data]))).toEqual({ type: 'json', value: { n: 1 } })
  expect(await outputOf(result([data], { isError: true }))).toEqual({ type: 'error-json', value: { n: 1 } })
  // What the model is to read is the content, not the data.
  expect(await outputOf(result('a person changed this', { data: { n: 1 } }))).toEqual({
    type: 'text',
    value: 'a person changed this',
  })
  const mixed = result([
    words,
    file('AQID'),
    file('https://example.com/a.png'),
    { ...file('AQID'), mediaType: 'text/csv' },
  ])
  const value = async (version: string) => ((await outputOf(mixed, version)) as { value: unknown[] }).value
  expect(await value('v2')).toEqual([
    words,
    { type: 'media', data: 'AQID', mediaType: 'image/png' },
    { type: 'text', text: 'https://example.com/a.png' },
    { type: 'media', data: 'AQID', mediaType: 'text/csv' },
  ])
  expect(await value('v3')).toEqual([
    words,
    { type: 'image-data', data: 'AQID', mediaType: 'image/png' },
    { type: 'image-url', url: 'https://example.com/a.png' },
    { type: 'file-data', data: 'AQID', mediaType: 'text/csv', filename: 'a.png' },
  ])
  expect((await value('v4'))[2]).toEqual({
    type: 'file',
    mediaType: 'image/png',
    filename: 'a.png',
    data: { type: 'url', url: new URL('https://example.com/a.png') },
  })
})

test('settings and tools are handed on', async () => {
  const settings = {
    temperature: 0.5,
    maxOutputTokens: 100,
    topP: 0.9,
    stopSequences: ['END'],
    seed: 7,
    providerOptions: { acme: { effort: 'high' } },
    headers: { 'x-team': 'support' },
  }
  const tools = [{ name: 'pay', description: 'Pays.', parameters: { type: 'object' } }]
  const sent = await asked({ tools }, { ...settings, toolChoice: 'required', retries: 0 })
  expect(sent).toMatchObject({
    ...settings,
    tools: [{ type: 'function', name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } }],
    toolChoice: { type: 'required' },
  })
  expect(sent).not.toHaveProperty('retries')
  const without = await asked({}, { toolChoice: 'required' })
  expect(without).not.toHaveProperty('tools')
  expect(without).not.toHaveProperty('toolChoice')
})

test('the schema of the output is handed on as the format of the response', async () => {
  const outputSchema = { type: 'object', properties: { cents: { type: 'number' } } }
  expect((await asked({ outputSchema }, {})).responseFormat).toEqual({ type: 'json', schema: outputSchema })
  expect(await asked({}, {})).not.toHaveProperty('responseFormat')
})

test('a tool that must be called is not asked for again once one has answered', async () => {
  const call: LanguageModelV3StreamPart = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{}' }
  const model = mock([call, finish('tool-calls')], [...text('Done.'), stop])
  const toolChoice = { type: 'tool', toolName: 'look' } as const
  await run(new Agent({ name: 'x', model: aiSdkModel(model, { toolChoice }), tools: [free('look')] }), 'go')
  expect(model.doStreamCalls.map((sent) => sent.toolChoice)).toEqual([toolChoice, { type: 'auto' }])
})

const signed = (id: string, words: string, signature: string): LanguageModelV3StreamPart[] => [
  { type: 'reasoning-start', id },
  { type: 'reasoning-delta', id, delta: words },
  { type: 'reasoning-delta', id, delta: '', providerMetadata: { acme: { signature } } },
  { type: 'reasoning-end', id },
]

/** Runs a turn with a call through a model, then shows what another one is sent of it. */
async function sentBack(first: LanguageModelV3StreamPart[], change: (message: Message) => Message = (same) => same) {
  const call: LanguageModelV3StreamPart = {
    type: 'tool-call',
    toolCallId: 'a',
    toolName: 'look',
    input: '{}',
    providerMetadata: { acme: { thought: 't' } },
  }
  const model = mock([...first, call, finish('tool-calls')], [...text('Done.'), stop])
  const result = await run(new Agent({ name: 'x', model: aiSdkModel(model), tools: [free('look')] }), 'go')
  expect(result.finalOutput).toBe('Done.')
  const { model: same, calls: toSame } = handmade('v3', [...text('x'), stop])
  const { model: other, calls: toOther } = handmade('v3', [...text('x'), stop])
  const messages = result.state.messages.map(change)
  await partsOf(aiSdkModel(same), { messages })
  await partsOf(aiSdkModel({ ...other, provider: 'other.chat' }), { messages })
  return {
    live: model.doStreamCalls[1]?.prompt[1]?.content,
    same: toSame[0]?.prompt[1]?.content,
    other: toOther[0]?.prompt[1]?.content,
  }
}

test('what a provider signed goes back to it in its order, and to nobody else', async () => {
  const redacted: LanguageModelV3StreamPart = {
    type: 'reasoning-start',
    id: 'z',
    providerMetadata: { acme: { redacted: 'xyz' } },
  }
  const { live, same, other } = await sentBack([
    ...signed('1', 'first', 's1'),
    ...text('So: ', '1'),
    ...signed('2', 'then', 's2'),
    redacted,
    ...text('look.', '2'),
  ])
  const expected = [
    { type: 'reasoning', text: 'first', providerOptions: { acme: { signature: 's1' } } },
    { type: 'text', text: 'So: ' },
    { type: 'reasoning', text: 'then', providerOptions: { acme: { signature: 's2' } } },
    { type: 'reasoning', text: '', providerOptions: { acme: { redacted: 'xyz' } } },
    { type: 'text', text: 'look.' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {}, providerOptions: { acme: { thought: 't' } } },
  ]
  expect(live).toEqual(expected)
  expect(same).toEqual(expected)
  expect(other).toEqual([
    { type: 'text', text: 'So: look.' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} },
  ])
})

test('reasoning that nobody signed goes back too, to the provider that wrote it', async () => {
  const { same, other } = await sentBack([
    { type: 'reasoning-start', id: '1' },
    { type: 'reasoning-delta', id: '1', delta: 'hm' },
    ...text('So.', '1'),
  ])
  expect(same?.slice(0, 2)).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'So.' },
  ])
  expect(other?.[0]).toEqual({ type: 'text', text: 'So.' })
})

test('a message that a hook changed is sent as it is now, without what was signed about it', async () => {
  const { same } = await sentBack([...signed('1', 'first', 's1'), ...text('secret', '1')], (message) =>
    message.role === 'assistant' && message.toolCalls ? { ...message, content: '[removed]' } : message,
  )
  expect(same?.[0]).toEqual({ type: 'text', text: '[removed]' })
  expect(JSON.stringify(same)).not.toMatch(/first|s1|secret/)
})

test('interleaved blocks keep all of their text', async () => {
  const { same } = await sentBack([
    { type: 'text-start', id: '1', providerMetadata: { acme: { item: 1 } } },
    { type: 'text-start', id: '2' },
    { type: 'text-delta', id: '1', delta: 'a' },
    { type: 'text-delta', id: '2', delta: 'b' },
    { type: 'text-delta', id: '1', delta: 'c' },
    { type: 'text-end', id: '1' },
  ])
  const words = (same ?? []) as { type: string; text?: string }[]
  expect(words.map((part) => part.text ?? '').join('')).toBe('abc')
})

test('parts that only version 4 has go back as they were', async () => {
  const { model, calls } = handmade(
    'v4',
    [
      { type: 'custom', kind: 'acme.note', providerMetadata: { acme: { note: 1 } } },
      {
        type: 'reasoning-file',
        mediaType: 'image/png',
        data: { type: 'url', url: new URL('https://example.com/r.png') },
      },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{}' },
      { type: 'of-the-future', tool: 'pay' },
      finish('tool-calls'),
    ],
    [...text('Done.'), stop],
  )
  await run(new Agent({ name: 'x', model: aiSdkModel(model), tools: [free('look')] }), 'go')
  expect(calls[1]?.prompt[1]?.content).toEqual([
    { type: 'custom', kind: 'acme.note', providerOptions: { acme: { note: 1 } } },
    {
      type: 'reasoning-file',
      mediaType: 'image/png',
      data: { type: 'url', url: new URL('https://example.com/r.png') },
    },
    { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} },
  ])
})
