import { Agent, handoff, webSearchTool } from '@openai/agents'
import { functionCall, ScriptedModel } from '@openai/agents/testing'
import { expect, test } from 'vitest'
import { createGate } from '../../../src/gate.ts'
import { humanInTheLoop, memoryStore, openDesk } from '../../../src/index.ts'
import { type KeptRun, openaiGate } from '../../../src/openai-agents.ts'
import { ann, done, gateOn, payTool, refundDesk, refunding, runner } from './desk.ts'

test('calls after a hand-off are held, in both forms of a hand-off, and agents that hand over to one another are no trap', async () => {
  for (const wrap of [(agent: Agent) => agent, (agent: Agent) => handoff(agent)]) {
    const store = memoryStore()
    const { agent: billing, ran } = refundDesk([[refunding('c1', 'A-1', 1999)], done])
    const model = new ScriptedModel([[functionCall('transfer_to_Desk', {}, { callId: 'h1' })]])
    const triage = new Agent({ name: 'Triage', model, handoffs: [wrap(billing as Agent)] })
    billing.handoffs = [triage as never]
    const gate = openaiGate(gateOn(store), { threadId: 'chat', runner })
    const paused = await gate.run(triage, 'Pay A-1 back.')
    expect([paused.interruptions.map(({ name }) => name), ran]).toEqual([['refund'], []])
    await gate.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
    const result = await openaiGate(gateOn(store), { threadId: 'chat', runner }).resume(triage)
    expect([result?.finalOutput, ran]).toEqual(['Done.', ['A-1 1999']])
  }
})

test('calls of an agent that is a tool are held, and continue where they stopped', async () => {
  const store = memoryStore()
  const { agent: billing, ran, model: inner } = refundDesk([[refunding('c1', 'A-1', 1999)], done])
  const model = new ScriptedModel([[functionCall('billing', { input: 'Pay A-1 back.' }, { callId: 'o1' })], done])
  const build = (gate: ReturnType<typeof openaiGate>) =>
    new Agent({
      name: 'Boss',
      model,
      tools: [gate.agent(billing).asTool({ toolName: 'billing', toolDescription: 'Pays.' })],
    })
  const first = openaiGate(gateOn(store), { threadId: 'chat', runner })
  const paused = await first.run(build(first), 'Pay A-1 back.')
  expect([paused.interruptions.map(({ name }) => name), ran]).toEqual([['refund'], []])
  await first.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  const second = openaiGate(gateOn(store), { threadId: 'chat', runner })
  const result = await second.resume(build(second))
  expect([result?.finalOutput, ran, inner.calls.length, model.calls.length]).toEqual(['Done.', ['A-1 1999'], 2, 2])
})

test('the call of an agent that is a tool can be held and refused itself', async () => {
  const store = memoryStore()
  const policy = humanInTheLoop({ interruptOn: { billing: true } })
  const { agent: billing, model: inner } = refundDesk([done])
  const model = new ScriptedModel([[functionCall('billing', { input: 'Pay.' }, { callId: 'o1' })], done])
  const gate = openaiGate(createGate({ store, policy, source: 'openai-agents' }), { threadId: 'chat', runner })
  const boss = new Agent({
    name: 'Boss',
    model,
    tools: [gate.agent(billing).asTool({ toolName: 'billing', toolDescription: '' })],
  })
  const paused = await gate.run(boss, 'Pay.')
  await gate.decide(paused.interruptions[0]!, { type: 'reject', message: 'Not today.' }, { by: ann })
  const result = await gate.resume(boss)
  expect([result?.finalOutput, inner.calls.length]).toEqual(['Done.', 0])
  expect(JSON.stringify(model.lastCall?.request.input)).toContain('Not today.')
})

test('a tool that a gate cannot hold, and an agent tool that is not under it, are refused unless they are named', async () => {
  const gate = openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner })
  const { agent } = refundDesk([])
  expect(() => gate.agent(agent.clone({ tools: [webSearchTool()] }))).toThrow(/which a gate cannot hold/)
  const asTool = agent.asTool({ toolName: 'billing', toolDescription: 'Pays.' })
  expect(() => gate.agent(new Agent({ name: 'Boss', tools: [asTool] }))).toThrow(/not under this gate/)
  const open = openaiGate(gateOn(memoryStore()), { threadId: 'chat', ungated: ['web_search', 'billing'] })
  expect(open.agent(agent.clone({ tools: [webSearchTool(), asTool] })).tools.length).toBe(2)
})

test('free calls run once too, and a policy of the gate judges tools that have no rule', async () => {
  const store = memoryStore()
  const policy = humanInTheLoop({ interruptOn: { look_up: true } })
  const steps = [[functionCall('look_up', { order: 'A-1' }, { callId: 'l1' })], done, done]
  const { agent, ran } = refundDesk(steps)
  const gate = () => openaiGate(createGate({ store, policy, source: 'openai-agents' }), { threadId: 'chat', runner })
  const paused = await gate().run(agent, 'Where is A-1?')
  expect(await gate().request(paused.interruptions[0]!)).toMatchObject({ toolName: 'look_up', args: { order: 'A-1' } })
  await gate().decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  expect((await gate().resume(agent))?.finalOutput).toBe('Done.')
  expect(await gate().resume(agent)).toBeUndefined()
  expect(ran).toEqual(['look_up A-1'])
})

test('a decision wakes the host with what it needs to continue', async () => {
  const store = memoryStore()
  const { agent, ran } = refundDesk([[refunding('c1', 'A-1', 1999)], done])
  await openaiGate(gateOn(store), { threadId: 'chat', runner }).run(agent, 'Pay A-1 back.')
  const finals: unknown[] = []
  const telling = gateOn(store).onSettled(async (_request, kept) => {
    const { threadId } = kept as unknown as KeptRun
    finals.push((await openaiGate(gateOn(store), { threadId, runner }).resume(agent))?.finalOutput)
  })
  const desk = openDesk({ store })
  const [request] = (await desk.list({ status: 'open' })).requests
  await desk.decide({ request: request!, decision: { type: 'approve' }, by: ann })
  await expect.poll(() => finals, { timeout: 60_000 }).toEqual(['Done.'])
  await telling[Symbol.asyncDispose]()
  expect(ran).toEqual(['A-1 1999'])
})

test('arguments that are not an object are refused without a person', async () => {
  const { agent, ran } = refundDesk([[functionCall('refund', '[1]', { callId: 'c1' })], done])
  const result = await openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner }).run(agent, 'Pay.')
  expect([result.finalOutput, result.interruptions, ran]).toEqual(['Done.', [], []])
})

test('a failed call is not run again, and a streamed run is kept by the application', async () => {
  let runs = 0
  const pay = payTool(
    () => {
      runs += 1
      throw new Error('The bank is closed.')
    },
    { errorFunction: null },
  )
  const store = memoryStore()
  const call = functionCall('pay', {}, { callId: 'p1' })
  const agent = new Agent({ name: 'Payer', model: new ScriptedModel([[call], done, done]), tools: [pay] })
  const gate = openaiGate(gateOn(store), { threadId: 'chat', runner })
  await expect(gate.run(agent, 'Pay.', { stream: true } as never)).rejects.toThrow(/does not stream/)
  const streamed = await runner.run(gate.agent(agent), 'Pay.', { stream: true })
  await streamed.completed
  await gate.keep(streamed)
  await gate.decide(streamed.interruptions[0]!, { type: 'approve' }, { by: ann })
  for (let time = 0; time < 2; time++) await expect(gate.resume(agent)).rejects.toThrow(/The bank is closed/)
  expect(runs).toBe(1)
})
