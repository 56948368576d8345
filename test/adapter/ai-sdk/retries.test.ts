import { APICallError, InvalidResponseDataError, LoadAPIKeyError } from '@ai-sdk/provider'
import { MockLanguageModelV3 } from 'ai/test'
import { expect, test, vi } from 'vitest'
import { type AiSdkLanguageModel, type AiSdkModelOptions, aiSdkModel } from '../../../src/ai-sdk.ts'
import { Agent, HoldpointError, ModelFailed, run } from '../../../src/index.ts'
import { until } from '../../support/until.ts'
import { warningsDuring } from '../../support/warnings.ts'
import { failureOf, mock, partsOf, stop, text } from './mock-models.ts'

const good = [...text('Hi.'), stop]

function apiError(statusCode: number | undefined, responseHeaders: Record<string, string> = {}): APICallError {
  return new APICallError({
    message: `answered ${statusCode}`,
    url: 'http://127.0.0.1/',
    requestBodyValues: {},
    responseHeaders,
    ...(statusCode === undefined ? { isRetryable: true } : { statusCode }),
  })
}

/** Asks a model whose first answers are these, and tells how long it paused each time. */
async function pausesOf(failures: (Error | (typeof good)[number][])[], options: AiSdkModelOptions = {}) {
  const pauses: number[] = []
  const model = mock(...failures, good)
  const onRetry: AiSdkModelOptions['onRetry'] = ({ delayMs }) => pauses.push(delayMs)
  const outcome = partsOf(aiSdkModel(model, { retryDelaySeconds: 0, onRetry, ...options })).then(
    (parts) => ({ parts }),
    (error: unknown) => ({ error: error as HoldpointError }),
  )
  return { pauses, model, ...((await outcome) as { parts?: unknown[]; error?: HoldpointError }) }
}

test('transient failures are retried, whatever class the error has', async () => {
  const coded = (code: string) => Object.assign(new Error('x'), { code })
  const passing: (Error | typeof good)[] = [
    apiError(429),
    apiError(500),
    apiError(529),
    apiError(undefined),
    Object.assign(new Error('x'), { status: 503 }),
    Object.assign(new Error('gateway'), { isRetryable: true, statusCode: 400 }),
    coded('ECONNRESET'),
    new TypeError('fetch failed', { cause: coded('UND_ERR_SOCKET') }),
    new InvalidResponseDataError({ data: undefined, message: 'no finish reason' }),
    [
      { type: 'stream-start', warnings: [] },
      { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
    ],
    [{ type: 'stream-start', warnings: [] }],
  ]
  for (const failure of passing) {
    const { parts, model } = await pausesOf([failure])
    expect(parts).toHaveLength(2)
    expect(model.doStreamCalls).toHaveLength(2)
  }
})

test('permanent failures are reported at once, with advice', async () => {
  const lasting: [Error, RegExp][] = [
    [apiError(401), /acme\.chat\/m1: status 401, answered 401\. Check the API key/],
    [apiError(403), /Check the API key/],
    [apiError(404), /Check the model id/],
    [apiError(400), /refuse the same request again/],
    [new LoadAPIKeyError({ message: 'ACME_API_KEY is missing.' }), /m1: ACME_API_KEY is missing\. Nothing was lost/],
    [new Error('a bug'), /a bug/],
    [apiError(429, { 'retry-after': '3600' }), /asks to wait for 3600 s/],
  ]
  for (const [failure, words] of lasting) {
    const { error, model } = await pausesOf([failure])
    expect(error).toBeInstanceOf(ModelFailed)
    expect(error?.message).toMatch(words)
    expect(error?.cause).toBe(failure)
    expect(error?.retryable).toBe(failure.message === 'answered 429')
    expect(model.doStreamCalls).toHaveLength(1)
  }
})

test('after the last try the failure says how often it was tried', async () => {
  const { error, pauses } = await pausesOf([apiError(500), apiError(500), apiError(502)])
  expect(error?.message).toContain('(asked 3 times): status 502')
  expect(error?.retryable).toBe(true)
  expect(pauses).toHaveLength(2)
  expect((await pausesOf([apiError(500)], { retries: 0 })).error?.message).not.toContain('asked')
})

test('delays double with jitter up to 30 s; Retry-After takes precedence', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const failures = Array.from({ length: 8 }, () => apiError(500))
    const pending = pausesOf(failures, { retries: 8, retryDelaySeconds: 1 })
    await vi.runAllTimersAsync()
    const { pauses, parts } = await pending
    expect(parts).toHaveLength(2)
    for (const [index, pause] of pauses.entries()) {
      const most = Math.min(30_000, 1000 * 2 ** index)
      expect(pause).toBeGreaterThanOrEqual(most / 2)
      expect(pause).toBeLessThanOrEqual(most)
    }
    const inAWhile = new Date(Date.now() + 20_000).toUTCString()
    const asked = pausesOf(
      [
        apiError(429, { 'retry-after': '7' }),
        apiError(429, { 'retry-after-ms': '250', 'retry-after': '9' }),
        apiError(503, { 'retry-after': inAWhile }),
      ],
      { retries: 3 },
    )
    await vi.runAllTimersAsync()
    const { pauses: waited } = await asked
    expect(waited.slice(0, 2)).toEqual([7000, 250])
    expect(waited[2]).toBeGreaterThan(5_000)
    expect(waited[2]).toBeLessThanOrEqual(20_000)
  } finally {
    vi.useRealTimers()
  }
})

test('nothing is retried once a part was shown', async () => {
  const broken = [...text('Half'), { type: 'error' as const, error: apiError(500) }]
  const model = mock(broken, good)
  const { error, shown } = await failureOf(aiSdkModel(model, { retryDelaySeconds: 0 }))
  expect(error).toBeInstanceOf(ModelFailed)
  expect(shown).toEqual([{ type: 'text', text: 'Half' }])
  expect(model.doStreamCalls).toHaveLength(1)
})

test('without streaming nothing is shown before the answer is complete, so it is retried', async () => {
  let asked = 0
  const model = new MockLanguageModelV3({
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'Hi.' }],
      finishReason: { unified: asked++ === 0 ? 'error' : 'stop', raw: undefined },
      usage: {} as never,
      warnings: [],
    }),
  })
  expect(await partsOf(aiSdkModel(model, { stream: false, retryDelaySeconds: 0 }))).toEqual([
    { type: 'text', text: 'Hi.' },
    { type: 'finish' },
  ])
  expect(asked).toBe(2)
})

test('an abort ends a pause at once', async () => {
  const stopped = new AbortController()
  const model = mock(apiError(500), good)
  const made = aiSdkModel(model, {
    retryDelaySeconds: 600,
    onRetry: () => setImmediate(() => stopped.abort(new Error('enough'))),
  })
  const { error } = await failureOf(made, { signal: stopped.signal })
  expect(error.message).toBe('enough')
  expect(model.doStreamCalls).toHaveLength(1)
})

/** A model that never answers. It takes notice of being told to stop, or not. */
function silent(listens: boolean) {
  return new MockLanguageModelV3({
    doStream: ({ abortSignal }) =>
      new Promise((_resolve, reject) => {
        if (listens) abortSignal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      }),
  })
}

test('an abort reaches the model, and ends the wait even if the model ignores it', async () => {
  for (const listens of [true, false]) {
    const stopped = new AbortController()
    const model = silent(listens)
    const failing = failureOf(aiSdkModel(model), { signal: stopped.signal })
    await until(() => model.doStreamCalls.length === 1)
    stopped.abort(new Error('enough'))
    expect((await failing).error.message).toBe('enough')
    expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(true)
    expect(model.doStreamCalls).toHaveLength(1)
  }
})

test('a run that is stopped while the model answers is incomplete, and goes on later', async () => {
  const stopped = new AbortController()
  let asked = 0
  const answers = mock(good)
  const never = silent(true)
  const model = new MockLanguageModelV3({
    doStream: (options) => (asked++ === 0 ? never : answers).doStream(options),
  })
  const agent = new Agent({ name: 'x', model: aiSdkModel(model) })
  const running = run(agent, 'go', { signal: stopped.signal })
  await until(() => never.doStreamCalls.length === 1)
  stopped.abort()
  const result = await running
  expect(result.status).toBe('incomplete')
  expect((await run(agent, result.state)).finalOutput).toBe('Hi.')
})

test('a silent model is aborted after its timeout, and retried', async () => {
  for (const listens of [true, false]) {
    const model = silent(listens)
    const { error } = await failureOf(aiSdkModel(model, { timeoutSeconds: 0.02, retries: 1, retryDelaySeconds: 0 }))
    expect(error).toBeInstanceOf(ModelFailed)
    expect(error.message).toContain('nothing was heard for 0.02 s')
    expect(HoldpointError.isInstance(error) && error.retryable).toBe(true)
    expect(model.doStreamCalls).toHaveLength(2)
    expect(model.doStreamCalls.every(({ abortSignal }) => abortSignal?.aborted)).toBe(true)
  }
})

test('the error names the reason for the abort, not the error that the model threw', async () => {
  const model: AiSdkLanguageModel = {
    specificationVersion: 'v3',
    provider: 'acme.chat',
    modelId: 'm1',
    doGenerate: async () => ({}),
    doStream: ({ abortSignal }: { abortSignal: AbortSignal }) =>
      new Promise((_resolve, reject) => abortSignal.addEventListener('abort', () => reject(new Error('aborted')))),
  }
  const { error } = await failureOf(aiSdkModel(model, { timeoutSeconds: 0.02, retries: 0 }))
  expect(error.message).toContain('nothing was heard for 0.02 s')
})

/** A model that sends half an answer and then nothing. */
function halfAnswer() {
  let cancelled = false
  const stream = new ReadableStream({
    start(controller) {
      for (const part of text('Half')) controller.enqueue(part)
    },
    cancel() {
      cancelled = true
    },
  })
  return { model: new MockLanguageModelV3({ doStream: { stream } }), cancelled: () => cancelled }
}

test('silence in the middle of an answer is a failure too, and the stream is closed', async () => {
  const { model, cancelled } = halfAnswer()
  const { error, shown } = await failureOf(aiSdkModel(model, { timeoutSeconds: 0.02 }))
  expect(error.message).toContain('nothing was heard')
  expect(shown).toHaveLength(1)
  expect(cancelled()).toBe(true)
})

test('a reader that leaves early closes the stream', async () => {
  const { model, cancelled } = halfAnswer()
  const parts = aiSdkModel(model).respond({ messages: [], tools: [], signal: new AbortController().signal })
  for await (const part of parts as AsyncIterable<unknown>) {
    expect(part).toBeDefined()
    break
  }
  expect(cancelled()).toBe(true)
  expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(true)
})

test('concurrent runs add no listeners to a shared signal', async () => {
  const warnings = await warningsDuring(async () => {
    const runs = Array.from({ length: 20 }, async () => {
      const model = aiSdkModel(mock(apiError(500), good), { retryDelaySeconds: 0.001 })
      return (await run(new Agent({ name: 'x', model }), 'go')).finalOutput
    })
    expect(new Set(await Promise.all(runs))).toEqual(new Set(['Hi.']))
  })
  expect(warnings).toEqual([])
})
