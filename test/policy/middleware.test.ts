import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  InMemoryChannel,
  type Message,
  type Middleware,
  memoryStore,
  RunState,
  run,
  ThreadPaused,
  tool,
} from '../../src/index.ts'
import { AgentInvalid, PolicyFailed } from '../../src/protocol/errors/errors.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing.ts'

const ping = tool({
  name: 'ping',
  description: '',
  parameters: z.object({ n: z.number() }),
  execute: ({ n }) => `pong ${n}`,
})

function setUp(middleware: Middleware[], steps: ScriptStep[]) {
  const model = scriptedModel(steps)
  return { model, agent: new Agent({ name: 'a', instructions: 'be brief', model, tools: [ping], middleware }) }
}

const call: ScriptStep = { toolCalls: [{ id: 'c1', name: 'ping', args: { n: 1 } }] }
const gate: Middleware = {
  name: 'gate',
  afterModel: ({ message }) =>
    message.toolCalls ? undefined : { hold: { description: 'Send this answer?', risk: 'high' } },
}

describe('a gate before the final answer', () => {
  test('the run waits with its answer, durably, and ends when somebody lets it through', async () => {
    const { agent, model } = setUp([gate], [call, 'The answer.'])
    const store = memoryStore()
    const paused = await run(agent, 'go', { threadId: 't', store })
    expect(paused.status).toBe('interrupted')
    expect(paused.finalOutput).toBeUndefined()
    expect(paused.interruptions).toMatchObject([
      { kind: 'approve', reason: 'final_answer', description: 'Send this answer?', risk: 'high' },
    ])
    const state = await RunState.load(agent, { threadId: 't', store })
    await state.approve(state.interruptions[0]!)
    const done = await run(agent, state)
    expect(done).toMatchObject({ status: 'completed', finalOutput: 'The answer.' })
    expect(model.requests).toHaveLength(2)
  })

  test('rejected: the model is told why and answers again, and that answer is held too', async () => {
    const { agent, model } = setUp([gate], ['Rude.', 'Polite.'])
    const first = await run(agent, 'go')
    await first.state.reject(first.interruptions[0]!, { message: 'too rude' })
    const second = await run(agent, first.state)
    expect(second.status).toBe('interrupted')
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'system',
      content: expect.stringContaining('too rude'),
    })
    await second.state.approve(second.interruptions[0]!)
    expect((await run(agent, second.state)).finalOutput).toBe('Polite.')
  })

  test("answered by a person: their words are the run's", async () => {
    const { agent } = setUp([gate], ['Wrong.'])
    const paused = await run(agent, 'go')
    await paused.state.respond(paused.interruptions[0]!, { message: 'Right.' })
    expect((await run(agent, paused.state)).finalOutput).toBe('Right.')
  })

  test('aborted or superseded while it waits: the request is closed and the history stays valid', async () => {
    const store = memoryStore()
    const { agent } = setUp([gate], ['One.', 'Two.'])
    const thread = agent.thread('t', { store })
    expect((await thread.prompt('go')).status).toBe('suspended')
    await expect(thread.prompt('and?')).rejects.toBeInstanceOf(ThreadPaused)
    const again = await thread.prompt('and?', { whilePaused: 'supersede' })
    expect(again.requests).toHaveLength(1)
    const aborted = await thread.abortPending({ reason: 'enough' })
    expect(aborted.status).toBe('aborted')
    expect(aborted.requests).toEqual([])
    expect((await store.findRequests({ threadId: 't' })).requests.map((request) => request.status).sort()).toEqual([
      'aborted',
      'superseded',
    ])
  })

  test('is shown on the channel of a live thread', async () => {
    const { agent } = setUp([gate], ['The answer.'])
    const channel = new InMemoryChannel()
    channel.subscribe((request) => channel.answer(request.questionId, { type: 'approve' }))
    const done = await agent.thread('t', { channel }).prompt('go')
    expect(done).toMatchObject({ status: 'completed', finalOutput: 'The answer.' })
  })
})

describe('hooks', () => {
  test('beforeModel changes what the model sees, never what is stored', async () => {
    const trim: Middleware = {
      name: 'trim',
      beforeModel: ({ messages, turn }) => ({ messages: messages.slice(-1), instructions: `turn ${turn}` }),
    }
    const { agent, model } = setUp([trim], [call, 'Done.'])
    const done = await run(agent, 'go')
    expect(model.requests.map(({ messages, instructions }) => [messages.length, instructions])).toEqual([
      [1, 'turn 1'],
      [1, 'turn 2'],
    ])
    expect(done.state.messages).toHaveLength(4)
  })

  test('beforeTool refuses a call right before it would run; afterTool changes what the model reads', async () => {
    const log: string[] = []
    const guard: Middleware = {
      name: 'guard',
      beforeTool: ({ args }) => {
        log.push(`before ${args.n}`)
        return args.n === 2 ? { refuse: 'not two' } : undefined
      },
      afterTool: ({ result }) => {
        log.push('after')
        return { ...result, content: `${result.content}!` }
      },
    }
    const calls: ScriptStep = { toolCalls: [1, 2].map((n) => ({ id: `c${n}`, name: 'ping', args: { n } })) }
    const done = await run(setUp([guard], [calls, 'Done.']).agent, 'go')
    const results = done.state.messages.filter(
      (message): message is Extract<Message, { role: 'tool' }> => message.role === 'tool',
    )
    expect(results.map(({ content, isError }) => [content, isError ?? false])).toEqual([
      ['pong 1!', false],
      ['not two', true],
    ])
    expect(log.sort()).toEqual(['after', 'before 1', 'before 2'])
  })

  test('before hooks run in order, after hooks in reverse', async () => {
    const log: string[] = []
    const noting = (name: string): Middleware => ({
      name,
      beforeModel: () => void log.push(`${name} before`) as undefined,
      afterModel: () => void log.push(`${name} after`) as undefined,
    })
    await run(setUp([noting('a'), noting('b')], ['Done.']).agent, 'go')
    expect(log).toEqual(['a before', 'b before', 'b after', 'a after'])
  })

  test('a hook around the model that throws fails the turn and nothing of it is stored', async () => {
    const broken: Middleware = {
      name: 'broken',
      afterModel: () => {
        throw new Error('oops')
      },
    }
    const failed = await run(setUp([broken], ['Done.']).agent, 'go')
    expect(failed.error).toBeInstanceOf(PolicyFailed)
    expect(failed.state.messages).toEqual([{ role: 'user', content: 'go' }])
  })

  test('misspelt hooks and equal names are errors when the agent is built', () => {
    expect(() => setUp([{ name: 'x', beforeTol: () => undefined } as never], [])).toThrow(AgentInvalid)
    expect(() => setUp([{ name: 'x' }, { name: 'x' }], [])).toThrow(AgentInvalid)
    expect(() => setUp([{} as never], [])).toThrow(AgentInvalid)
  })
})
