import { expect, test } from 'vitest'
import { Agent, type Model, run } from '../../src/index.ts'
import type { ModelPart, ModelResponse } from '../../src/ports.ts'

const answering = (response: object): Model => ({ respond: async () => response as ModelResponse })

async function failure(model: Model) {
  const result = await run(new Agent({ name: 'x', model }), 'go')
  expect(result).toMatchObject({ status: 'failed', error: { code: 'model_response_invalid' } })
  return result.error?.message
}

test('an answer of a model with a field that nobody reads is refused', async () => {
  const call = { id: 'c', name: 'pay', args: {} }
  expect(await failure(answering({ content: '', tool_calls: [call] }))).toContain('"tool_calls" is called toolCalls')
  expect(await failure(answering({ text: 'Done.' }))).toContain('"text"')
  expect(await failure(answering({ content: '', toolCalls: [{ ...call, arguments: {} }] }))).toContain('"arguments"')
})

test('a stream with a part of unknown type is refused', async () => {
  async function* parts() {
    yield { type: 'text', text: 'Done.' } satisfies ModelPart
    yield { type: 'toolCall', call: { name: 'pay', args: {} } } as unknown as ModelPart
    yield { type: 'finish' } satisfies ModelPart
  }
  expect(await failure({ respond: () => parts() })).toContain('unknown type')
})
