import { Agent, RunState, tool } from '@openai/agents'
import { functionCall, ScriptedModel } from '@openai/agents/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../../../src/index.ts'
import { openaiGate } from '../../../src/openai-agents.ts'
import { ann, done, gateOn, outputs, payTool, refundDesk, refunding, runner } from './desk.ts'

/** An agent whose tool takes any object, and what it took. */
function takingDesk(...texts: string[]) {
  const took: unknown[] = []
  const take = tool({
    name: 'take',
    description: 'Takes.',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    strict: false,
    needsApproval: true,
    execute: async (args) => {
      took.push(args)
      return 'taken'
    },
  })
  const calls = texts.map((text, index) => functionCall('take', text, { callId: `c${index + 1}` }))
  const model = new ScriptedModel([calls, done, done])
  return { took, model, agent: new Agent({ name: 'Desk', model, tools: [take] }) }
}

test.each([
  ['half of a character', '{"a":"\\ud800"}', /lone surrogate/],
  ['a negative zero', '{"a":-0}', /is -0/],
  ['too many levels', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`, /levels deep/],
  ['more than a megabyte', JSON.stringify({ data: 'x'.repeat(1_100_000) }), /1048576 are allowed/],
])('a call whose arguments have %s is refused, and the others go on', async (_what, text, problem) => {
  const { agent, took, model } = takingDesk(text, '{"a":1}')
  const gate = openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner })
  const paused = await gate.run(agent, 'Take.')
  expect(paused.interruptions.length).toBe(1)
  await gate.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  expect((await gate.resume(agent))?.finalOutput).toBe('Done.')
  expect([outputs(model), took]).toEqual([{ c1: expect.stringMatching(problem), c2: 'taken' }, [{ a: 1 }]])
})

test('arguments that name prototypes pollute nothing, and run as they were approved', async () => {
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
  const { agent, took } = takingDesk(text)
  const gate = openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner })
  const paused = await gate.run(agent, 'Take.')
  await gate.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  await gate.resume(agent)
  expect([took.map((args) => JSON.stringify(args)), ({} as { polluted?: true }).polluted]).toEqual([[text], undefined])
})

test('the last of two equal keys is what people see and what runs', async () => {
  const { agent, took } = takingDesk('{"cents":1,"cents":999}')
  const gate = openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner })
  const paused = await gate.run(agent, 'Take.')
  expect((await gate.request(paused.interruptions[0]!))?.args).toEqual({ cents: 999 })
  await gate.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  await gate.resume(agent)
  expect(took).toEqual([{ cents: 999 }])
})

test('a schema that changes arguments changes them where the tool runs, also after the state was restored', async () => {
  const took: unknown[] = []
  const take = tool({
    name: 'take',
    description: 'Takes.',
    parameters: z.object({ a: z.string().trim() }),
    needsApproval: async (_context, { a }) => a.trim() === 'x',
    execute: async (args) => {
      took.push(args)
      return 'taken'
    },
  })
  const model = new ScriptedModel([[functionCall('take', '{ "a": "  x " }', { callId: 'c1' })], done])
  const agent = new Agent({ name: 'Desk', model, tools: [take] })
  const store = memoryStore()
  const gate = () => openaiGate(gateOn(store), { threadId: 'chat', runner })
  const paused = await gate().run(agent, 'Take.')
  await gate().decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  expect([(await gate().resume(agent))?.finalOutput, took]).toEqual(['Done.', [{ a: 'x' }]])
})

test('a tool that throws is told to the model, and is not run again', async () => {
  let runs = 0
  const pay = payTool(async () => {
    runs += 1
    throw new Error('The bank is closed.')
  })
  const model = new ScriptedModel([[functionCall('pay', {}, { callId: 'c1' })], done, done])
  const agent = new Agent({ name: 'Desk', model, tools: [pay] })
  const gate = openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner })
  const paused = await gate.run(agent, 'Pay.')
  const text = paused.state.toString()
  await gate.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  const told: unknown[] = []
  for (let time = 0; time < 2; time++) {
    await runner.run(gate.agent(agent), await RunState.fromString(gate.agent(agent), text))
    told.push(outputs(model).c1)
  }
  expect([runs, new Set(told).size, told[0]]).toEqual([1, 1, expect.stringMatching(/error/i)])
})

test('a run that is cancelled while a tool runs: the tool ends, and the next run gets its result', async () => {
  const cancelled = new AbortController()
  let runs = 0
  const pay = payTool(async () => {
    runs += 1
    cancelled.abort()
    await new Promise((resolve) => setTimeout(resolve, 20))
    return 'paid'
  })
  const model = new ScriptedModel([[functionCall('pay', {}, { callId: 'c1' })], done, done])
  const agent = new Agent({ name: 'Desk', model, tools: [pay] })
  const store = memoryStore()
  const gate = () => openaiGate(gateOn(store), { threadId: 'chat', runner })
  const paused = await gate().run(agent, 'Pay.')
  await gate().decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  await expect(gate().resume(agent, { signal: cancelled.signal })).rejects.toThrow(/abort/i)
  expect((await gate().resume(agent))?.finalOutput).toBe('Done.')
  expect([outputs(model), runs]).toEqual([{ c1: 'paid' }, 1])
})

test('a paused run is resumed with a stream', async () => {
  const { agent, ran } = refundDesk([[refunding('c1', 'A-1', 1999)], done])
  const gate = openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner })
  const paused = await gate.run(agent, 'Pay A-1 back.')
  await gate.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  const gated = gate.agent(agent)
  const streamed = await runner.run(gated, await RunState.fromString(gated, paused.state.toString()), { stream: true })
  await streamed.completed
  await gate.keep(streamed)
  expect([streamed.finalOutput, ran, await gate.resume(agent)]).toEqual(['Done.', ['A-1 1999'], undefined])
})
