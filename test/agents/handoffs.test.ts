import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { humanInTheLoop } from '../../src/policy/human-in-the-loop.ts'
import { AgentInvalid, AgentMissing, PolicyInvalid } from '../../src/protocol/errors/errors.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { handoff, withoutToolCalls } from '../../src/runtime/agent/handoff.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

function desk(options: {
  triage: readonly ScriptStep[]
  billing: readonly ScriptStep[]
  triageTools?: ReturnType<typeof gated>[]
  billingTools?: ReturnType<typeof gated>[]
  make?: (billing: Agent) => ReturnType<typeof handoff> | Agent
}) {
  const billingModel = scriptedModel(options.billing)
  const billing = new Agent({ name: 'Billing', model: billingModel, tools: options.billingTools ?? [] })
  const model = scriptedModel(options.triage)
  const agent = new Agent({
    name: 'Triage',
    model,
    tools: options.triageTools ?? [],
    handoffs: [options.make ? options.make(billing) : billing],
  })
  return { agent, model, billing, billingModel }
}

describe('a hand-off', () => {
  test('passes the conversation on, in the same frame', async () => {
    const { agent, model, billingModel } = desk({
      triage: [calls(['h', 'transfer_to_Billing'])],
      billing: ['I am billing.'],
    })
    const result = await run(agent, 'My invoice is wrong.')
    expect(result.finalOutput).toBe('I am billing.')
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['transfer_to_Billing'])
    expect(billingModel.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(result.state.currentAgent).toBe('Billing')
  })

  test('a pause after it is owned by the agent that went on, also from text', async () => {
    const refund = gated('refund')
    const { agent } = desk({
      triage: [calls(['h', 'transfer_to_Billing'])],
      billing: [calls(['r', 'refund'])],
      billingTools: [refund],
    })
    const paused = await run(agent, 'refund me')
    expect(only(paused)).toMatchObject({ agent: 'Billing', path: ['Triage', 'Billing'], toolName: 'refund' })
    const again = desk({ triage: [], billing: ['Refunded.'], billingTools: [gated('refund')] })
    const state = await RunState.fromString(again.agent, paused.state.toString())
    await state.approve(only(paused))
    expect((await run(again.agent, state)).finalOutput).toBe('Refunded.')
  })

  test('waits for gated calls beside it, and takes their results along', async () => {
    const note = gated('note')
    const { agent, billingModel } = desk({
      triage: [calls(['n', 'note'], ['h', 'transfer_to_Billing'])],
      billing: ['Hello.'],
      triageTools: [note],
    })
    const paused = await run(agent, 'x')
    expect(only(paused)).toMatchObject({ toolName: 'note', agent: 'Triage' })
    expect(billingModel.requests).toHaveLength(0)
    await paused.state.approve(only(paused))
    expect((await run(agent, paused.state)).finalOutput).toBe('Hello.')
    expect(note.runs).toHaveLength(1)
    expect(resultsIn(billingModel.requests[0]?.messages).map(([id]) => id)).toEqual(['n', 'h'])
  })

  test('waits also when the whole turn has to be decided first', async () => {
    const note = gated('note')
    const { agent } = desk({
      triage: [calls(['h', 'transfer_to_Billing'], ['n', 'note'])],
      billing: ['Hello.'],
      triageTools: [note],
    })
    const paused = await run(agent, 'x', { toolExecution: { start: 'settled' } })
    await paused.state.approve(only(paused))
    expect((await run(agent, paused.state)).finalOutput).toBe('Hello.')
  })

  test('can be gated: rejected, the agent goes on itself', async () => {
    const { agent, billingModel } = desk({
      triage: [calls(['h', 'transfer_to_Billing']), 'Then I will do it.'],
      billing: [],
      make: (billing) => handoff(billing, { needsApproval: true }),
    })
    const paused = await run(agent, 'x')
    expect(only(paused)).toMatchObject({ toolName: 'transfer_to_Billing' })
    await paused.state.reject(only(paused))
    expect((await run(agent, paused.state)).finalOutput).toBe('Then I will do it.')
    expect(billingModel.requests).toHaveLength(0)
  })

  test('can be gated by a policy that names it; a misspelt name is an error when the agent is built', () => {
    const billing = new Agent({ name: 'Billing', model: scriptedModel([]) })
    const build = (name: string) =>
      new Agent({
        name: 'Triage',
        model: scriptedModel([]),
        handoffs: [billing],
        policy: humanInTheLoop({ interruptOn: { [name]: true } }),
      })
    expect(() => build('transfer_to_Billing')).not.toThrow()
    expect(() => build('transfer_to_billing')).toThrow(PolicyInvalid)
  })

  test('of several in one answer the first counts', async () => {
    const sales = new Agent({ name: 'Sales', model: scriptedModel([]) })
    const billingModel = scriptedModel(['Billing here.'])
    const billing = new Agent({ name: 'Billing', model: billingModel })
    const agent = new Agent({
      name: 'Triage',
      model: scriptedModel([calls(['h', 'transfer_to_Billing'], ['g', 'transfer_to_Sales'])]),
      handoffs: [billing, sales],
    })
    expect((await run(agent, 'x')).finalOutput).toBe('Billing here.')
    expect(resultsIn(billingModel.requests[0]?.messages)).toEqual([
      ['h', '{"assistant":"Billing"}'],
      ['g', expect.stringContaining('one agent at a time')],
    ])
  })

  test('shows the next agent what its filter leaves, and goes on showing that', async () => {
    const store = memoryStore()
    const look = free('look')
    const { agent, billingModel } = desk({
      triage: [calls(['l', 'look']), calls(['h', 'transfer_to_Billing'])],
      billing: [calls(['c', 'check']), 'Done.'],
      triageTools: [look],
      billingTools: [free('check')],
      make: (billing) =>
        handoff(billing, {
          inputFilter: (given) => [
            { role: 'system', content: 'Short version.' },
            ...(withoutToolCalls(given) as ReturnType<typeof Array.prototype.slice>),
          ],
        }),
    })
    const result = await run(agent, 'My invoice.', { store, threadId: 't' })
    expect(result.finalOutput).toBe('Done.')
    expect(billingModel.requests[0]?.messages).toEqual([
      { role: 'system', content: 'Short version.' },
      { role: 'user', content: 'My invoice.' },
    ])
    expect(billingModel.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
    // The record keeps everything that was said, once.
    expect(result.state.messages).toHaveLength(8)
    const changed = (await entriesOf(store, 't')).find((entry) => entry.type === 'agent.changed')
    expect(changed).toMatchObject({
      shown: [
        { role: 'system', content: 'Short version.' },
        { from: 0, to: 1 },
      ],
    })
  })

  test('calls onHandoff with what the model passes along; if that throws, nobody goes on', async () => {
    const told: unknown[] = []
    const { agent, billingModel } = desk({
      triage: [
        calls(['h', 'transfer_to_Billing', { reason: 'angry' }]),
        calls(['i', 'transfer_to_Billing', { reason: 'calm' }]),
      ],
      billing: ['Hi.'],
      make: (billing) =>
        handoff(billing, {
          parameters: z.object({ reason: z.string() }),
          onHandoff: ({ reason }) => {
            told.push(reason)
            if (reason === 'angry') throw new Error('nobody is there')
          },
        }),
    })
    expect((await run(agent, 'x')).finalOutput).toBe('Hi.')
    expect(told).toEqual(['angry', 'calm'])
    expect(resultsIn(billingModel.requests[0]?.messages)[0]?.[1]).toContain('nobody is there')
  })

  test('can go back and forth', async () => {
    const pong: Agent = new Agent({
      name: 'Pong',
      model: scriptedModel([calls(['2', 'transfer_to_Ping'])]),
      handoffs: () => [ping],
    })
    const ping: Agent = new Agent({
      name: 'Ping',
      model: scriptedModel([calls(['1', 'transfer_to_Pong']), 'game over']),
      handoffs: () => [pong],
    })
    expect((await run(ping, 'serve')).finalOutput).toBe('game over')
  })

  test('happens in nested runs too, and the result is that of the agent that went on', async () => {
    const helper = new Agent({ name: 'Helper', model: scriptedModel(['helped']) })
    const inner = new Agent({
      name: 'Inner',
      model: scriptedModel([calls(['h', 'transfer_to_Helper'])]),
      handoffs: [helper],
    })
    const model = scriptedModel([calls(['i', 'Inner', { input: 'x' }]), 'ok'])
    const agent = new Agent({ name: 'Root', model, tools: [inner.asTool()] })
    expect((await run(agent, 'go')).finalOutput).toBe('ok')
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['i', 'helped']])
  })
})

describe('who an agent is', () => {
  function twins(second = 'B') {
    const tool = gated('act')
    const make = (instructions: string, script: readonly ScriptStep[]) =>
      new Agent({ name: 'Twin', instructions, model: scriptedModel(script), tools: [tool] })
    const left = new Agent({ name: 'Left', model: scriptedModel([]), handoffs: [make('A', [])] })
    const right = new Agent({
      name: 'Right',
      model: scriptedModel([calls(['t', 'transfer_to_Twin'])]),
      handoffs: [make(second, [calls(['a', 'act']), 'acted as B'])],
    })
    return new Agent({
      name: 'Root',
      model: scriptedModel([calls(['r', 'transfer_to_Right'])]),
      handoffs: [left, right],
    })
  }

  test('agents of one name are told apart by the way to them', async () => {
    const paused = await run(twins(), 'go')
    expect(only(paused).agent).toBe('Twin@transfer_to_Right/transfer_to_Twin')
    const state = await RunState.fromString(twins(), paused.state.toString())
    expect(state.currentAgent).toBe('Twin@transfer_to_Right/transfer_to_Twin')
  })

  test('one that was defined anew while the run was paused is refused, not guessed', async () => {
    const paused = await run(twins(), 'go')
    const text = paused.state.toString()
    const error = await refused(RunState.fromString(twins('other instructions'), text), AgentMissing, 'agent_missing')
    expect(error.message).toContain('defined differently')
    // Nothing is lost: with the right graph it goes on.
    expect((await RunState.fromString(twins(), text)).interruptions).toHaveLength(1)
  })

  test('a graph that lost the agent is refused, and the run stays resumable', async () => {
    const store = memoryStore()
    const refund = gated('refund')
    const { agent } = desk({
      triage: [calls(['h', 'transfer_to_Billing'])],
      billing: [calls(['r', 'refund']), 'ok'],
      billingTools: [refund],
    })
    const paused = await run(agent, 'x', { store, threadId: 't' })
    const without = new Agent({ name: 'Triage', model: scriptedModel([]) })
    await refused(RunState.load(without, { store, threadId: 't' }), AgentMissing, 'agent_missing')
    await paused.state.approve(only(paused))
    expect((await run(agent, await RunState.load(agent, { store, threadId: 't' }))).status).toBe('completed')
  })

  test('two agents with one id are an error when the root is built', () => {
    const one = new Agent({ id: 'x', name: 'One', model: scriptedModel([]) })
    const two = new Agent({ id: 'x', name: 'Two', model: scriptedModel([]) })
    expect(() => new Agent({ name: 'Root', model: scriptedModel([]), handoffs: [one, two] })).toThrow(AgentInvalid)
  })

  test('an id outlives a new name', async () => {
    const build = (name: string, script: readonly ScriptStep[]) => {
      const billing = new Agent({ id: 'billing', name, model: scriptedModel(script), tools: [gated('refund')] })
      return new Agent({
        name: 'Triage',
        model: scriptedModel([calls(['h', 'go'])]),
        handoffs: [handoff(billing, { toolName: 'go' })],
      })
    }
    const paused = await run(build('Billing', [calls(['r', 'refund'])]), 'x')
    const renamed = build('Accounts', ['Refunded.'])
    const state = await RunState.fromString(renamed, paused.state.toString())
    await state.approve(only(paused))
    expect((await run(renamed, state)).finalOutput).toBe('Refunded.')
  })

  test('setCurrentAgent changes who goes on, not who made the calls that wait', async () => {
    const act = gated('act')
    const other = new Agent({ name: 'Other', model: scriptedModel(['Other here.']) })
    const agent = new Agent({
      name: 'Root',
      model: scriptedModel([calls(['a', 'act'])]),
      tools: [act],
      handoffs: [other],
    })
    const paused = await run(agent, 'x')
    await paused.state.setCurrentAgent(other)
    await paused.state.approve(only(paused))
    const done = await run(agent, paused.state)
    expect(done.finalOutput).toBe('Other here.')
    expect(act.runs).toHaveLength(1)
    const stranger = new Agent({ name: 'Stranger', model: scriptedModel([]) })
    await refused(paused.state.setCurrentAgent(stranger), AgentMissing, 'agent_missing')
  })

  test('a text goes from the original graph into one whose agents are wrapped', async () => {
    const build = (wrap: boolean) => {
      const tool = gated('act')
      const model = scriptedModel(wrap ? ['wrapped'] : [calls(['a', 'act'])])
      const inner = new Agent({ name: 'Inner', model, tools: [wrap ? { ...tool } : tool] })
      return {
        tool,
        agent: new Agent({
          name: 'Root',
          model: scriptedModel([calls(['h', 'transfer_to_Inner'])]),
          handoffs: [inner],
        }),
      }
    }
    const original = build(false)
    const paused = await run(original.agent, 'x')
    const restored = await RunState.fromString(original.agent, paused.state.toString())
    const replaced = build(true)
    const state = await RunState.fromString(replaced.agent, restored.toString())
    await state.approve(only(paused))
    expect((await run(replaced.agent, state)).finalOutput).toBe('wrapped')
    expect(replaced.tool.runs).toHaveLength(1)
    expect(original.tool.runs).toHaveLength(0)
  })
})
