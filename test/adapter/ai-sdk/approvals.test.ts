import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV3 } from 'ai/test'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type AiSdkModelOptions, aiSdkModel } from '../../../src/ai-sdk.ts'
import { Agent, hostedMcpTool, type JsonObject, RunState, run, tool } from '../../../src/index.ts'
import { type HostedMcpServer, InputInvalid, ModelResponseInvalid } from '../../../src/ports.ts'
import { failureOf, finish, handmade, mock, partsOf, stop, text, USAGE } from './mock-models.ts'

const wiki: HostedMcpServer = {
  type: 'mcp',
  serverLabel: 'wiki',
  serverUrl: 'https://wiki.example/mcp',
  requireApproval: 'always',
}
const hostedTool: NonNullable<AiSdkModelOptions['hostedTool']> = ({ serverLabel, serverUrl, requireApproval }) => ({
  id: 'acme.mcp',
  args: { serverLabel, serverUrl, requireApproval },
})

/** A provider announces its own call, and asks about it. */
function asks(toolName = 'mcp.edit_page', input = '{"page":1}', id = '1'): LanguageModelV3StreamPart[] {
  return [
    { type: 'tool-call', toolCallId: `own${id}`, toolName, input, providerExecuted: true, dynamic: true },
    { type: 'tool-approval-request', approvalId: `mcpr${id}`, toolCallId: `own${id}` },
  ]
}

function writer(
  model: MockLanguageModelV3,
  tools = [hostedMcpTool({ serverLabel: 'wiki', serverUrl: wiki.serverUrl ?? '' })],
) {
  return new Agent({ name: 'Writer', model: aiSdkModel(model, { hostedTool }), tools })
}

test('a request of the provider is held, and the yes goes back as its response, also from another process', async () => {
  const model = mock([...text('May I?'), ...asks(), finish('stop')], [...text('Edited.'), stop])
  const agent = writer(model)
  const paused = await run(agent, 'edit page 1')
  expect(paused.interruptions).toMatchObject([{ toolName: 'wiki.edit_page', args: { page: 1 }, toolCallId: 'mcpr1' }])

  const state = await RunState.fromString(agent, paused.state.toString())
  await state.approve(state.interruptions[0] ?? '')
  const result = await run(agent, state)
  expect(result).toMatchObject({ status: 'completed', finalOutput: 'Edited.' })
  expect(model.doStreamCalls[0]?.tools).toEqual([
    {
      type: 'provider',
      id: 'acme.mcp',
      name: 'wiki',
      args: { serverLabel: 'wiki', serverUrl: 'https://wiki.example/mcp', requireApproval: 'always' },
    },
  ])
  expect(model.doStreamCalls[1]?.prompt.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'May I?' },
        {
          type: 'tool-call',
          toolCallId: 'own1',
          toolName: 'mcp.edit_page',
          input: { page: 1 },
          providerExecuted: true,
        },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'mcpr1', approved: true }] },
  ])
})

test('a no goes back with its reason, beside the result of a tool of the agent', async () => {
  const look = tool({ name: 'look', description: 'Looks.', parameters: z.object({}), execute: () => 'seen' })
  const model = mock(
    [
      ...asks('wiki.delete_page'),
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{}' },
      finish('tool-calls'),
    ],
    [...text('Left as it is.'), stop],
  )
  const agent = writer(model, [hostedMcpTool({ serverLabel: 'wiki', serverUrl: 'https://wiki.example/mcp' }), look])
  const paused = await run(agent, 'delete page 1')
  expect(paused.interruptions.map(({ toolName }) => toolName)).toEqual(['wiki.delete_page'])
  await paused.state.reject(paused.interruptions[0] ?? '', { message: 'Not this one.' })
  await run(agent, paused.state)
  expect(model.doStreamCalls[1]?.prompt.at(-1)).toEqual({
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'seen' } },
      { type: 'tool-approval-response', approvalId: 'mcpr1', approved: false, reason: 'Not this one.' },
    ],
  })
})

test('a whole answer asks in the same way as a streamed one', async () => {
  const model = new MockLanguageModelV3({
    doGenerate: {
      content: asks() as never,
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: USAGE,
      warnings: [],
    },
  })
  const parts = await partsOf(aiSdkModel(model, { hostedTool, stream: false }), { hostedTools: [wiki] })
  expect(parts[0]).toMatchObject({
    type: 'approval-request',
    request: { id: 'mcpr1', serverLabel: 'wiki', name: 'edit_page', arguments: '{"page":1}' },
  })
})

test('another provider is sent neither the request nor the answer', async () => {
  const first = mock([...text('May I?'), ...asks(), stop], [...text('Edited.'), stop])
  const agent = writer(first)
  const paused = await run(agent, 'edit page 1')
  await paused.state.approve(paused.interruptions[0] ?? '')
  const { state } = await run(agent, paused.state)
  const second = mock([...text('Hello.'), stop])
  Object.assign(second, { provider: 'other.chat' })
  await partsOf(aiSdkModel(second), { messages: state.messages })
  expect(second.doStreamCalls[0]?.prompt).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'edit page 1' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'May I?' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Edited.' }] },
  ])
})

test('of several servers the one that the provider means is found, or the answer is refused', async () => {
  const files: HostedMcpServer = { ...wiki, serverLabel: 'files', allowedTools: ['read'] }
  const ask = async (toolName: string, hostedTools: HostedMcpServer[]): Promise<JsonObject> => {
    const [part] = await partsOf(aiSdkModel(mock([...asks(toolName), stop]), { hostedTool }), { hostedTools })
    return part as never
  }
  expect(await ask('files.read', [wiki, files])).toMatchObject({ request: { serverLabel: 'files', name: 'read' } })
  expect(await ask('mcp.edit', [wiki, files])).toMatchObject({ request: { serverLabel: 'wiki', name: 'edit' } })
  expect(await ask('edit', [wiki])).toMatchObject({ request: { serverLabel: 'wiki', name: 'edit' } })
  for (const [toolName, hostedTools, words] of [
    ['mcp.read', [wiki, files], 'does not say on which server (wiki, files)'],
    ['mcp.edit', [{ ...wiki, serverLabel: 'mcp' }, wiki], 'does not say on which server'],
    ['mcp.edit', [], 'hostedMcpTool()'],
  ] as const) {
    const model = aiSdkModel(mock([...asks(toolName), stop]), { hostedTool })
    const { error } = await failureOf(model, { hostedTools })
    expect(error).toBeInstanceOf(ModelResponseInvalid)
    expect(error.message).toContain(words)
  }
  const foreign: LanguageModelV3StreamPart = { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'nobody' }
  const { error } = await failureOf(aiSdkModel(mock([foreign, stop]), { hostedTool }), { hostedTools: [wiki] })
  expect(error).toBeInstanceOf(ModelResponseInvalid)
})

test('a request in an answer that reached the token limit is refused: it may be incomplete', async () => {
  const model = aiSdkModel(mock([...asks(), finish('length')]), { hostedTool })
  const { error } = await failureOf(model, { hostedTools: [wiki] })
  expect(error).toBeInstanceOf(ModelResponseInvalid)
})

test('a hosted server is never left out silently: without hostedTool, or where nobody could be asked, the run fails', async () => {
  const hostedTools = [wiki]
  const never: HostedMcpServer = { ...wiki, requireApproval: 'never' }
  const { error } = await failureOf(aiSdkModel(mock([...text('hi'), stop])), { hostedTools })
  expect(error).toBeInstanceOf(InputInvalid)
  expect(error.message).toContain('hostedTool')
  const old = handmade('v2', [...text('hi'), { type: 'finish', usage: { inputTokens: 1 }, finishReason: 'stop' }])
  expect((await failureOf(aiSdkModel(old.model, { hostedTool }), { hostedTools })).error).toBeInstanceOf(InputInvalid)
  await partsOf(aiSdkModel(old.model, { hostedTool }), { hostedTools: [never] })
  expect(old.calls[0]?.tools).toMatchObject([{ type: 'provider-defined', id: 'acme.mcp', name: 'wiki' }])
  const bad = aiSdkModel(mock([]), { hostedTool: () => ({ id: 'x', args: {} }) })
  expect((await failureOf(bad, { hostedTools })).error).toBeInstanceOf(InputInvalid)
  expect(() => aiSdkModel(mock([]), { hostedTool: 'mcp' as never })).toThrow(InputInvalid)
})
