import { expect, it } from 'vitest'
import { Agent, InMemoryChannel, memoryStore } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { scriptedModel } from '../../src/testing.ts'

const agent = new Agent({ name: 'a', model: scriptedModel(['Done.']) })

it('a misspelt option of a thread is refused: it could be a channel or a store that is not there', async () => {
  expect(() => agent.thread('t', { chanel: new InMemoryChannel() } as never)).toThrow(InputInvalid)
  expect(() => agent.thread('t', { toolExecution: { start: 'now' as never } })).toThrow(InputInvalid)
  const thread = agent.thread('t', { store: memoryStore() })
  await expect(thread.prompt('go', { maxTurn: 1 } as never)).rejects.toBeInstanceOf(InputInvalid)
  await expect(thread.resume({ maxTurns: 0 })).rejects.toBeInstanceOf(InputInvalid)
  await expect(thread.resume({ timeout: 1 } as never)).rejects.toBeInstanceOf(InputInvalid)
  await expect(thread.respond({ question: 'c1', answer: true } as never)).rejects.toBeInstanceOf(InputInvalid)
  expect((await thread.prompt('go')).status).toBe('completed')
})
