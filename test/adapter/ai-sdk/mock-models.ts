import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import type { AiSdkLanguageModel } from '../../../src/ai-sdk.ts'
import type { Model, ModelPart, ModelRequest } from '../../../src/ports/model.ts'

export const USAGE: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: 7, cacheRead: 3, cacheWrite: 0 },
  outputTokens: { total: 4, text: 4, reasoning: 0 },
}

export const stop = finish('stop')

export function finish(unified: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other') {
  return { type: 'finish', usage: USAGE, finishReason: { unified, raw: unified } } as const
}

/** The parts of a text. */
export function text(words: string, id = '1'): LanguageModelV3StreamPart[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: words },
    { type: 'text-end', id },
  ]
}

/** The SDK's own mock, answering with one list of parts after the other; an error is thrown instead. */
export function mock(...answers: (readonly LanguageModelV3StreamPart[] | Error)[]): MockLanguageModelV3 {
  let asked = 0
  return new MockLanguageModelV3({
    provider: 'acme.chat',
    modelId: 'm1',
    async doStream() {
      const answer = answers[asked++] ?? new Error('asked too often')
      if (answer instanceof Error) throw answer
      return { stream: simulateReadableStream({ chunks: [...answer], initialDelayInMs: null, chunkDelayInMs: null }) }
    },
  })
}

/** A model of another specification, by hand, that notes what it was called with. */
export function handmade(specificationVersion: string, ...answers: unknown[][]) {
  const calls: LanguageModelV3CallOptions[] = []
  const model: AiSdkLanguageModel = {
    specificationVersion,
    provider: 'acme.chat',
    modelId: 'm1',
    doGenerate: async () => ({}),
    async doStream(options: LanguageModelV3CallOptions) {
      calls.push(options)
      return { stream: simulateReadableStream({ chunks: answers[calls.length - 1] ?? [] }) }
    },
  }
  return { model, calls }
}

/** A request with nothing in it but what a test is about. */
export function request(given: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [],
    signal: new AbortController().signal,
    ...given,
  }
}

/** All parts of a model's answer. */
export async function partsOf(model: Model, given: Partial<ModelRequest> = {}): Promise<ModelPart[]> {
  const parts: ModelPart[] = []
  for await (const part of model.respond(request(given)) as AsyncIterable<ModelPart>) parts.push(part)
  return parts
}

/** What a model threw, and what it had shown by then. */
export async function failureOf(model: Model, given: Partial<ModelRequest> = {}) {
  const shown: ModelPart[] = []
  try {
    for await (const part of model.respond(request(given)) as AsyncIterable<ModelPart>) shown.push(part)
  } catch (error) {
    return { error: error as Error, shown }
  }
  throw new Error('the model did not fail')
}
