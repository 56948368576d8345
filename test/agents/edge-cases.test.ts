import { describe, expect, test } from 'vitest'
import { Agent, type Message, type Model, memoryStore, RunState, run } from '../../src/index.ts'
import { AgentMismatch } from '../../src/protocol/errors/errors.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'
import { nested } from './nested.ts'

/** Numbers are those of the cases that other systems were probed with; what is expected here is often better than what they do. */

describe('decisions', () => {
  test('33: a standing yes of one agent does not cover the same tool in the hands of another', async () => {
    const pay = gated('pay')
    const billing = new Agent({ name: 'billing', model: scriptedModel([calls(['b', 'pay']), 'ok']), tools: [pay] })
    const inner = new Agent({ name: 'inner', model: scriptedModel([calls(['p', 'pay']), 'paid']), tools: [pay] })
    const agent = new Agent({
      name: 'clerk',
      model: scriptedModel([
        calls(['a', 'pay']),
        calls(['i', 'inner', { input: 'x' }]),
        calls(['h', 'transfer_to_billing']),
      ]),
      tools: [pay, inner.asTool()],
      handoffs: [billing],
    })
    const owners: string[] = []
    let result = await run(agent, 'go')
    while (result.status === 'interrupted') {
      owners.push(only(result).agent)
      await result.state.approve(only(result), { always: true })
      result = await run(agent, result.state)
    }
    expect(owners).toEqual(['clerk', 'inner', 'billing'])
    expect(result.finalOutput).toBe('ok')
  })

  test('36: after a standing yes an exact no still counts, inside a nested run', async () => {
    const pay = gated('pay')
    const { agent, innerModel } = nested({ inner: [calls(['a', 'pay'], ['b', 'pay']), 'ok'], tools: [pay] })
    const paused = await run(agent, 'go')
    const [a, b] = paused.interruptions
    await paused.state.reject(b!, { message: 'not this one' })
    await paused.state.approve(a!, { always: true })
    expect((await run(agent, paused.state)).status).toBe('completed')
    expect(resultsIn(innerModel.requests[1]?.messages)).toEqual([
      ['a', 'pay done'],
      ['b', 'not this one'],
    ])
  })

  test.each([
    [undefined, 'pay? says inner'],
    [() => 'no, says the run', 'no, says the run'],
  ])(
    '41–43: a refusal inside is worded by the run, else by the nested agent, not by its caller',
    async (toolErrorFormatter, words) => {
      const { agent, innerModel } = nested({
        inner: [calls(['a', 'pay']), 'ok'],
        tools: [gated('pay')],
        agent: { toolErrorFormatter: ({ toolName }) => `${toolName}? says inner` },
        root: { toolErrorFormatter: () => 'no, says the root' },
      })
      const paused = await run(agent, 'go')
      await paused.state.reject(only(paused))
      await run(agent, paused.state, toolErrorFormatter ? { toolErrorFormatter } : {})
      expect(toolMessage(innerModel.requests[1]?.messages).content).toBe(words)
    },
  )

  test('50: a copy of a request from another instance of the graph decides', async () => {
    const build = (script: readonly ScriptStep[], outer?: readonly ScriptStep[]) =>
      nested({ inner: script, tools: [gated('pay')], ...(outer ? { outer } : {}) })
    const paused = await run(build([calls(['a', 'pay'])]).agent, 'go')
    const copy = JSON.parse(JSON.stringify(only(paused)))
    const rebuilt = build(['ok'], ['done'])
    const state = await RunState.fromString(rebuilt.agent, paused.state.toString())
    await state.approve(copy)
    expect((await run(rebuilt.agent, state)).finalOutput).toBe('done')
  })
})

describe('resuming', () => {
  test('66: the nested agent is not the one that a run is resumed with', async () => {
    const { agent, inner } = nested({ inner: [calls(['a', 'pay']), 'ok'], tools: [gated('pay')] })
    const paused = await run(agent, 'go')
    await refused(run(inner, paused.state), AgentMismatch, 'agent_mismatch')
    await refused(RunState.fromString(inner, paused.state.toString()), AgentMismatch, 'agent_mismatch')
    expect(paused.state.interruptions).toHaveLength(1)
  })

  test('67–69: the model calls of a nested run are counted across pauses, and a limit for the root leaves them alone', async () => {
    const pay = gated('pay')
    const { agent, model } = nested({
      inner: [calls(['a', 'pay']), calls(['b', 'pay']), calls(['c', 'pay'])],
      tools: [pay],
      asTool: { maxTurns: 2 },
    })
    let result = await run(agent, 'go', { maxTurns: 2 })
    for (let asked = 0; result.status === 'interrupted'; asked++) {
      expect(asked).toBeLessThan(2)
      await result.state.approve(only(result))
      result = await run(agent, result.state, { maxTurns: 2 })
    }
    expect(result.finalOutput).toBe('done')
    expect(pay.runs).toHaveLength(2)
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ isError: true })
  })

  test('70: an abort before an approved call of a nested run starts spends nothing', async () => {
    const pay = gated('pay')
    const { agent } = nested({ inner: [calls(['a', 'pay']), 'ok'], tools: [pay] })
    const paused = await run(agent, 'go')
    await paused.state.approve(only(paused))
    expect((await run(agent, paused.state, { signal: AbortSignal.abort() })).status).toBe('incomplete')
    expect(pay.runs).toHaveLength(0)
    expect((await run(agent, paused.state)).finalOutput).toBe('done')
    expect(pay.runs).toHaveLength(1)
  })

  test('70: an abort while nested models think stores nothing of their turns', async () => {
    const store = memoryStore()
    const stop = new AbortController()
    const { agent } = nested({
      inner: [
        () => {
          stop.abort()
          return new Promise<never>(() => undefined)
        },
        'ok',
      ],
      tools: [],
    })
    const stopped = await run(agent, 'go', { signal: stop.signal, store, threadId: 't' })
    expect(stopped.status).toBe('incomplete')
    expect((await store.read('t')).lease).toBeNull()
    expect((await run(agent, stopped.state)).finalOutput).toBe('done')
  })

  test('71: a tool that throws inside a nested run fails its call alone', async () => {
    const boom = free('boom', {
      execute: () => {
        throw new Error('no paper')
      },
    })
    const { agent, innerModel } = nested({ inner: [calls(['b', 'boom']), 'ok'], tools: [boom] })
    expect((await run(agent, 'go')).finalOutput).toBe('done')
    expect(toolMessage(innerModel.requests[1]?.messages)).toMatchObject({
      isError: true,
      content: expect.stringContaining('no paper'),
    })
  })

  test('76: a finished run with nested ones gives its result again, without asking any model', async () => {
    const { agent, model, innerModel } = nested({ inner: ['ok'], tools: [] })
    const done = await run(agent, 'go')
    const again = await run(agent, await RunState.fromString(agent, done.state.toString()))
    expect(again.finalOutput).toBe('done')
    expect([model.requests.length, innerModel.requests.length]).toEqual([2, 1])
  })
})

describe('nested runs', () => {
  test('81, 85: while its inside waits, the outer call has no result and the run no output', async () => {
    const { agent } = nested({ inner: [calls(['a', 'pay'])], tools: [gated('pay')] })
    const paused = await run(agent, 'go')
    expect(paused.finalOutput).toBeUndefined()
    expect(paused.state.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('95, 96: extractors and hooks of the caller see a nested run once, when it has ended', async () => {
    const seen: string[] = []
    const { agent } = nested({
      inner: [calls(['a', 'pay']), 'ok'],
      tools: [gated('pay')],
      asTool: {
        customOutputExtractor: ({ finalOutput }) => {
          seen.push(`extracted ${finalOutput}`)
          return finalOutput
        },
      },
      root: {
        middleware: [
          {
            name: 'log',
            beforeTool: ({ toolName }) => void seen.push(`before ${toolName}`),
            afterTool: ({ toolName }) => void seen.push(`after ${toolName}`),
          },
        ],
      },
    })
    const paused = await run(agent, 'go')
    await run(agent, paused.state)
    expect(seen).toEqual(['before inner'])
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    expect(seen).toEqual(['before inner', 'extracted ok', 'after inner'])
  })

  test('97: a nested agent with the name of the root is told apart, also from text', async () => {
    const build = (outer: readonly ScriptStep[], script: readonly ScriptStep[]) => {
      const pay = gated('pay')
      const twin = new Agent({ name: 'clerk', model: scriptedModel(script), tools: [pay] })
      return { pay, ...scripted(outer, [twin.asTool({ name: 'ask_twin' })]) }
    }
    const first = build([calls(['i', 'ask_twin', { input: 'x' }])], [calls(['p', 'pay'])])
    const paused = await run(first.agent, 'go')
    expect(only(paused)).toMatchObject({ agent: 'clerk@ask_twin', path: ['clerk', 'clerk@ask_twin'] })
    const second = build(['done'], ['ok'])
    const state = await RunState.fromString(second.agent, paused.state.toString())
    await state.approve(only(paused))
    expect((await run(second.agent, state)).finalOutput).toBe('done')
    expect(second.pay.runs).toHaveLength(1)
  })

  test('an agent that is called while its earlier call waits has two runs, each with its own conversation', async () => {
    const seen: Message[][] = []
    const pay = gated('pay')
    const inner = new Agent({
      name: 'inner',
      tools: [pay],
      model: {
        respond: async ({ messages }) => {
          seen.push([...messages])
          return messages.length > 1
            ? { content: `paid for ${messages[0]?.content}` }
            : { toolCalls: [{ id: 'p', name: 'pay', args: {} }] }
        },
      },
    })
    const { agent, model } = scripted(
      [calls(['one', 'inner', { input: 'ann' }], ['two', 'inner', { input: 'bob' }]), 'done'],
      [inner.asTool()],
    )
    const paused = await run(agent, 'go')
    for (const asked of paused.interruptions) await paused.state.approve(asked)
    expect((await run(agent, paused.state)).finalOutput).toBe('done')
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      ['one', 'paid for ann'],
      ['two', 'paid for bob'],
    ])
    expect(seen.every((messages) => messages.filter(({ role }) => role === 'user').length === 1)).toBe(true)
  })

  test('runs go as deep as they are called', async () => {
    const model: Model = {
      async respond({ messages }) {
        const depth = Number(messages[0]?.content)
        if (depth === 0 || messages.length > 1) return { content: `${depth}` }
        return { toolCalls: [{ id: 'down', name: 'down', args: { input: String(depth - 1) } }] }
      },
    }
    let agent = new Agent({ name: 'level0', model })
    for (let level = 1; level <= 6; level++)
      agent = new Agent({ name: `level${level}`, model, tools: [agent.asTool({ name: 'down' })] })
    const store = memoryStore()
    expect((await run(agent, '6', { store, threadId: 't' })).finalOutput).toBe('6')
    const opened = (await entriesOf(store, 't')).filter((entry) => entry.type === 'call.started' && entry.frame)
    expect(opened).toHaveLength(6)
  })

  test('the state string grows by the same amount with each level, not by a multiple', async () => {
    const size = async (depth: number) => {
      let agent = new Agent({
        name: 'a0',
        model: scriptedModel([calls(['p', 'pay', { text: 'x'.repeat(100) }])]),
        tools: [gated('pay')],
      })
      for (let level = 1; level <= depth; level++) {
        const model = scriptedModel([calls(['c', 'down', { input: 'go' }])])
        agent = new Agent({ name: `a${level}`, model, tools: [agent.asTool({ name: 'down' })] })
      }
      return (await run(agent, 'go')).state.toString().length
    }
    const sizes = await Promise.all([0, 1, 2, 3, 4].map(size))
    const steps = sizes.slice(1).map((bytes, index) => bytes - sizes[index]!)
    for (const step of steps) expect(step).toBeLessThan(1.5 * steps[0]!)
  })
})
