import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, handoff, memoryStore, RunState, run } from '../../src/index.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing.ts'
import { calls } from '../support/agents/scripted-agent.ts'

const outputType = z.object({ cents: z.number(), note: z.string().default('none') })

function asked(steps: readonly ScriptStep[]) {
  const model = scriptedModel(steps)
  return { model, agent: new Agent({ name: 'clerk', model, outputType }) }
}

test('an output type parses the final answer, and the model gets its JSON Schema', async () => {
  const { agent, model } = asked(['{"cents":5}'])
  const result = await run(agent, 'go')
  expect(result).toMatchObject({ status: 'completed', finalOutput: { cents: 5, note: 'none' } })
  expect(model.requests[0]?.outputSchema).toMatchObject({ type: 'object', properties: { cents: { type: 'number' } } })
  expect(model.requests[0]?.outputSchema).not.toHaveProperty('$schema')
})

test('an answer that is not of the output type fails the turn, and running again asks once more', async () => {
  for (const [answer, problem] of [
    ['Five cents.', 'not JSON'],
    ['{"cents":"5"}', 'cents'],
  ] as const) {
    const { agent } = asked([answer, '{"cents":5}'])
    const store = memoryStore()
    const failed = await run(agent, 'go', { store, threadId: 't' })
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'model_response_invalid' },
      finalOutput: undefined,
    })
    expect(failed.error?.message).toContain(problem)
    const again = await run(agent, await RunState.load(agent, { store, threadId: 't' }))
    expect(again).toMatchObject({ status: 'completed', finalOutput: { cents: 5 } })
  }
})

test('a thread, a stream and a restored state read the same output', async () => {
  const output = { cents: 5, note: 'none' }
  const store = memoryStore()
  expect(await asked(['{"cents":5}']).agent.thread('t', { store }).prompt('go')).toMatchObject({ finalOutput: output })
  const { agent } = asked([])
  expect(await run(agent, await RunState.load(agent, { store, threadId: 't' }))).toMatchObject({ finalOutput: output })
  expect(await agent.thread('t', { store }).resume()).toMatchObject({ status: 'completed', finalOutput: output })
  const stream = await run(asked(['{"cents":5}']).agent, 'go', { stream: true })
  await stream.completed
  expect(stream.finalOutput).toEqual(output)
})

test('after a hand-off the output type of the agent that answered counts', async () => {
  const { agent: billing } = asked(['{"cents":5}'])
  const desk = new Agent({
    name: 'desk',
    model: scriptedModel([calls(['h', 'transfer_to_clerk'])]),
    outputType: z.object({ cents: z.number() }).strict(),
    handoffs: [handoff(billing)],
  })
  expect(await run(desk, 'go')).toMatchObject({ status: 'completed', finalOutput: { cents: 5, note: 'none' } })
})

test('what a person answers in place of the model has to be of the output type too', async () => {
  const hold = { description: 'Send it?', allowedDecisions: ['respond'] as const }
  const agent = new Agent({
    name: 'clerk',
    model: scriptedModel(['{"cents":5}']),
    outputType,
    middleware: [{ name: 'gate', afterModel: () => ({ hold }) }],
  })
  const paused = await run(agent, 'go')
  await paused.state.respond(paused.interruptions[0]!, { message: 'No.' })
  expect(await run(agent, paused.state)).toMatchObject({ status: 'failed', error: { code: 'model_response_invalid' } })
})

test('an output type that is no Standard Schema, or has no JSON Schema, is refused when the agent is built', () => {
  const make = (type: unknown) => () => new Agent({ name: 'a', model: scriptedModel([]), outputType: type as never })
  expect(make({ type: 'object' })).toThrow('not a Standard Schema')
  expect(make(z.object({ at: z.date() }))).toThrow('JSON Schema')
})
