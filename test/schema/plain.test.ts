import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  handoff,
  type JsonObject,
  jsonSchema,
  memoryStore,
  openDesk,
  RunState,
  run,
  tool,
} from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const city = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', default: 3 } },
  required: ['city'],
  additionalProperties: false,
}

/** Whether each result in the conversation is an error. */
function failures({ messages }: RunState): boolean[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [message.isError ?? false] : []))
}

function forecast(ran: JsonObject[] = []) {
  return tool({
    name: 'forecast',
    description: 'Tells the weather.',
    parameters: city,
    needsApproval: true,
    execute: (args) => {
      expectTypeOf(args).toEqualTypeOf<JsonObject>()
      ran.push(args)
      return 'rain'
    },
  })
}

test('a tool takes a plain JSON Schema: the model is offered it, arguments are checked by it and not changed', async () => {
  const ran: JsonObject[] = []
  const { agent, model } = scripted(
    [
      calls(
        ['a', 'forecast', { city: 'Rome' }],
        ['b', 'forecast', { city: 'R' }],
        ['c', 'forecast', { city: 'Rome', junk: 1 }],
      ),
      'Done.',
    ],
    [forecast(ran)],
  )
  const paused = await run(agent, 'go')
  expect(model.requests[0]?.tools[0]?.parameters).toEqual(city)
  expect(only(paused)).toMatchObject({ toolCallId: 'a', args: { city: 'Rome' } })
  await paused.state.approve(only(paused))
  const done = await run(agent, paused.state)
  expect(ran).toEqual([{ city: 'Rome' }])
  expect(failures(done.state)).toEqual([false, true, true])
})

test('an edit is checked by a plain JSON Schema, with the code and without it', async () => {
  const store = memoryStore()
  const ran: JsonObject[] = []
  const { agent } = scripted([calls(['a', 'forecast', { city: 'Rome' }]), 'Done.'], [forecast(ran)])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  const asked = only(paused)
  const edit = (args: JsonObject) => ({ type: 'edit', args })
  await expect(paused.state.edit(asked, { args: { city: 'R' } })).rejects.toMatchObject({ code: 'edit_invalid' })
  const desk = openDesk({ store })
  await expect(desk.decide({ request: asked, decision: edit({ town: 'Rome' }), by: 'ann' })).rejects.toMatchObject({
    code: 'edit_invalid',
  })
  await desk.decide({ request: asked, decision: edit({ city: 'Oslo' }), by: 'ann' })
  await run(agent, await RunState.load(agent, { store, threadId: 't' }))
  expect(ran).toEqual([{ city: 'Oslo' }])
})

test('agents as tools and hand-offs take a plain JSON Schema too', async () => {
  const helper = new Agent({ name: 'helper', model: scriptedModel(['It rains.', 'Taken over.']) })
  const { agent } = scripted(
    [calls(['a', 'helper', { city: 'Rome' }]), calls(['b', 'transfer_to_helper', { city: 'R' }]), 'Done.'],
    [helper.asTool({ parameters: city, inputBuilder: (args) => `Where: ${args.city}` })],
    { handoffs: [handoff(helper, { parameters: city })] },
  )
  const done = await run(agent, 'go')
  expect(done).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  expect(failures(done.state)).toEqual([false, true])
})

test('jsonSchema() gives a JSON Schema a type, for arguments and for the final answer', async () => {
  interface Weather {
    city: string
    celsius: number
  }
  const weather = jsonSchema<Weather>({
    type: 'object',
    properties: { city: { type: 'string' }, celsius: { type: 'number' } },
    required: ['city', 'celsius'],
  })
  tool({
    name: 't',
    description: '',
    parameters: weather,
    execute: (args) => expectTypeOf(args).toEqualTypeOf<Weather>(),
  })
  const model = scriptedModel(['{"city":"Rome"}', '{"city":"Rome","celsius":21}'])
  const agent = new Agent({ name: 'a', model, outputType: weather })
  const failed = await run(agent, 'go')
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'model_response_invalid' } })
  const done = await run(agent, failed.state)
  if (done.status !== 'completed') throw done.error
  expectTypeOf(done.finalOutput).toEqualTypeOf<Weather>()
  expect(done.finalOutput).toEqual({ city: 'Rome', celsius: 21 })
  expect(model.requests[0]?.outputSchema).toMatchObject({ required: ['city', 'celsius'] })
})

test('what cannot be enforced is refused when the tool is created', () => {
  const make = (parameters: unknown) => () =>
    tool({ name: 't', description: '', parameters: parameters as never, execute: () => 1 })
  expect(make({ type: 'string' })).toThrow('must describe an object')
  expect(make({ type: 'object', properties: { n: { type: 'nmber' } } })).toThrow('cannot be compiled')
  // A schema of a library that is no Standard Schema would accept everything without its methods.
  expect(make({ type: 'object', parse: () => 1 })).toThrow('plain JSON Schema')
  for (const none of [undefined, null, 5, 'object', () => 1])
    expect(make(none)).toThrow('neither a Standard Schema nor a JSON Schema')
  expect(make(z.object({}))).not.toThrow()
  expect(() => jsonSchema({ type: 'object', $ref: 'https://example.com/x' })).toThrow('cannot be compiled')
})

test('changing the object afterwards does not change the tool', () => {
  const given = { type: 'object', properties: {} as Record<string, unknown> }
  const made = tool({ name: 't', description: '', parameters: given, execute: () => 1 })
  given.properties.later = { type: 'string' }
  expect(made.definition.parameters).toEqual({ type: 'object', properties: {} })
})
