import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AiSdkModelOptions, aiSdkModel } from '../../../src/ai-sdk.ts'
import { Agent, type Model, ModelFailed, RunState, run } from '../../../src/index.ts'
import { type ModelPart, ModelResponseInvalid } from '../../../src/ports.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { failedWith } from '../../support/agents/failures.ts'
import { free, gated } from '../../support/agents/recording-tools.ts'
import { only } from '../../support/agents/results.ts'
import { typesOf } from '../../support/stores/entries.ts'
import { until } from '../../support/until.ts'
import { failureOf, partsOf, request } from './mock-models.ts'
import { openAiServer, type Reply } from './openai-server.ts'

let server: Awaited<ReturnType<typeof openAiServer>>

afterEach(() => server?.close())

/** A model behind a server that plays this script. */
async function behind(script: Reply[], options: AiSdkModelOptions = {}) {
  server = await openAiServer(...script)
  return aiSdkModel(server.model, { retryDelaySeconds: 0, ...options })
}

const wantsPay = { calls: [{ id: 'a', name: 'pay', arguments: '{"cents":1999}' }] }

describe.each([true, false])('over HTTP, with stream: %s', (stream) => {
  test('texts, reasoning, calls and usage come as they were sent', async () => {
    const says = { reasoning: 'hm, hm', text: 'I will pay now.', ...wantsPay }
    const model = await behind([{ says }], { stream, temperature: 0.5 })
    const tools = [{ name: 'pay', description: 'Pays.', parameters: { type: 'object', properties: {} } }]
    const parts = await partsOf(model, { instructions: 'Be kind.', tools })
    const words = (type: string) => parts.flatMap((part) => (part.type === type && 'text' in part ? [part.text] : []))
    expect(words('reasoning').join('')).toBe('hm, hm')
    expect(words('text').join('')).toBe('I will pay now.')
    expect(words('text')).toHaveLength(stream ? 4 : 1)
    expect(parts.slice(-2)).toMatchObject([
      { type: 'tool-call', call: { id: 'a', name: 'pay', argsText: '{"cents":1999}' } },
      { type: 'finish', usage: { inputTokens: 12, outputTokens: 5 } },
    ])
    expect(server.seen[0]?.headers.authorization).toBe('Bearer key-1')
    expect(server.seen[0]?.body).toMatchObject({
      model: 'tiny',
      temperature: 0.5,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
      ],
      tools: [{ type: 'function', function: { name: 'pay', description: 'Pays.' } }],
    })
  })

  test('a server that is busy is asked again when it says, one that refuses is not', async () => {
    const busy: Reply = { status: 429, headers: { 'retry-after': '0' }, error: 'slow down' }
    const pauses: number[] = []
    const model = await behind([busy, { status: 500 }, { says: { text: 'Hi.' } }, { status: 401, error: 'bad key' }], {
      stream,
      onRetry: ({ delayMs }) => pauses.push(delayMs),
      retryDelaySeconds: 0.002,
    })
    expect((await partsOf(model)).at(-1)).toMatchObject({ type: 'finish' })
    expect(server.seen).toHaveLength(3)
    expect(pauses[0]).toBe(0)
    expect(pauses[1]).toBeGreaterThan(0)
    const { error } = await failureOf(model)
    expect(error.message).toMatch(/local\.chat\/tiny: status 401, bad key\. Check the API key/)
    expect((error as ModelFailed).retryable).toBe(false)
    expect(server.seen).toHaveLength(4)
  })

  test('an abort closes the connection', async () => {
    const model = await behind(['silence'], { stream })
    const stopped = new AbortController()
    const failing = failureOf(model, { signal: stopped.signal })
    await until(() => server.seen.length === 1)
    stopped.abort(new Error('enough'))
    expect((await failing).error.message).toBe('enough')
    await until(() => server.seen[0]?.left === true)
    expect(server.seen).toHaveLength(1)
  })

  test('calls truncated by the token limit do not run', async () => {
    const pay = free('pay')
    const model = await behind([{ says: { ...wantsPay, finish: 'length' } }], { stream })
    const failed = await run(new Agent({ name: 'x', model, tools: [pay] }), 'go')
    failedWith(failed, ModelResponseInvalid, 'model_response_invalid')
    expect(pay.runs).toEqual([])
  })
})

/** Reads a model's answer, and does something as soon as a part of it is there. */
async function interrupted(model: Model, then: () => void, signal = new AbortController().signal) {
  const shown: ModelPart[] = []
  const parts = model.respond(request({ signal })) as AsyncIterable<ModelPart>
  const ended = (async () => {
    for await (const part of parts) {
      shown.push(part)
      then()
    }
  })()
  const error = await ended.then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  )
  return { error, shown }
}

test('a stream that breaks off is a failure, and what was shown is not shown again', async () => {
  const model = await behind([{ half: 'Half' }, { half: 'Half' }])
  const endings = [() => server.seen[0]?.response.destroy(), () => server.seen[1]?.response.end()]
  for (const ending of endings) {
    const { error, shown } = await interrupted(model, ending)
    expect(error).toBeInstanceOf(ModelFailed)
    expect((error as ModelFailed).retryable).toBe(true)
    expect(shown).toEqual([{ type: 'text', text: 'Half' }])
  }
  expect(server.seen).toHaveLength(2)
})

test('an abort in the middle of a stream closes the connection', async () => {
  const model = await behind([{ half: 'Half' }])
  const stopped = new AbortController()
  const { error } = await interrupted(model, () => stopped.abort(new Error('enough')), stopped.signal)
  expect(error?.message).toBe('enough')
  await until(() => server.seen[0]?.left === true)
})

test('an error inside of a stream that showed nothing yet is tried again if it may pass', async () => {
  const overloaded: Reply = { inStream: { error: { message: 'overloaded', type: 'server_error' } } }
  const model = await behind([overloaded, { says: { text: 'Hi.' } }])
  expect(await partsOf(model)).toMatchObject([{ text: 'Hi.' }, { type: 'finish' }])
})

test('a server that is not there is a failure that names the network', async () => {
  const model = await behind([], { retries: 1 })
  await server.close()
  const { error } = await failureOf(model)
  expect(error.message).toMatch(/local\.chat\/tiny \(asked 2 times\): .*Check the provider URL/)
  expect((error as ModelFailed).retryable).toBe(true)
})

describe('a whole run', () => {
  let dir = ''
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'holdpoint-ai-sdk-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  test('a model that fails after an approved tool ran never makes it run again', async () => {
    const down: Reply = { status: 500, error: 'down' }
    const reasoned = { reasoning: 'They want money.', text: 'I will pay.', ...wantsPay }
    const model = await behind([{ says: reasoned }, down, down, down])
    const pay = gated('pay', { parameters: z.object({ cents: z.number() }) })
    const agent = new Agent({ name: 'clerk', model, tools: [pay] })
    const path = join(dir, 'runs.db')
    const threadId = 'order-42'

    const first = sqliteStore({ path })
    const paused = await run(agent, 'Pay me back.', { store: first, threadId })
    expect(only(paused)).toMatchObject({ toolName: 'pay', args: { cents: 1999 } })
    expect(paused.usage).toMatchObject({ inputTokens: 12, outputTokens: 5, totalTokens: 17 })
    await paused.state.approve(only(paused))
    const failed = await run(agent, paused.state)
    const error = failedWith(failed, ModelFailed, 'model_failed')
    expect(error.message).toContain('(asked 3 times): status 500, down')
    expect(error.retryable).toBe(true)
    expect(server.seen).toHaveLength(4)
    expect(pay.runs).toHaveLength(1)
    await first.close()

    // Another process, later: the server is up again.
    server.add({ says: { text: 'You have your money.' } })
    const second = sqliteStore({ path })
    const done = await run(agent, await RunState.load(agent, { store: second, threadId }))
    expect(done.finalOutput).toBe('You have your money.')
    expect(pay.runs).toHaveLength(1)
    expect((await typesOf(second, threadId)).filter((type) => type === 'call.started')).toHaveLength(1)
    await second.close()

    // Each time the model was told the same: what it had said, and what came of it.
    const told = server.seen.slice(1).map(({ body }) => body.messages)
    expect(new Set(told.map((messages) => JSON.stringify(messages))).size).toBe(1)
    expect(told[0]?.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: 'I will pay.',
        reasoning_content: 'They want money.',
        tool_calls: [{ id: 'a', function: { name: 'pay', arguments: '{"cents":1999}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'pay done' },
    ])
  })
})
