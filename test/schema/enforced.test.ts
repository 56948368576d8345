import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  definePolicy,
  EditInvalid,
  humanInTheLoop,
  type JsonObject,
  memoryStore,
  openDesk,
  type Policy,
  RunState,
  run,
  tool,
} from '../../src/index.ts'
import { PolicyFailed, PolicyInvalid, ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls } from '../support/agents/scripted-agent.ts'

const ann = { kind: 'person', id: 'ann' } as const

async function asked(policies: Policy[], args: JsonObject = { amount: 1 }) {
  const store = memoryStore()
  const pay = gated('pay', { parameters: z.looseObject({}) })
  const agent = new Agent({
    name: 'clerk',
    model: scriptedModel([calls(['a', 'pay', args]), 'Done.']),
    tools: [pay],
    policy: policies,
  })
  const result = await run(agent, 'go', { store, threadId: 't' })
  return { agent, store, pay, result, state: result.state, request: result.interruptions[0]! }
}

const reviewed = (argsSchema: JsonObject, name = 'one') =>
  humanInTheLoop({ name, interruptOn: { pay: { argsSchema } } })

/** What a conversion to zod drops without a word. */
const dropped: [string, JsonObject, JsonObject][] = [
  ['maximum without type', { properties: { amount: { maximum: 100 } } }, { amount: 999 }],
  ['if and then', JSON.parse('{ "if": { "required": ["big"] }, "then": { "required": ["reason"] } }'), { big: true }],
  ['not', { not: { required: ['force'] } }, { force: true }],
  ['dependentRequired', { dependentRequired: { card: ['address'] } }, { card: 1 }],
  ['required of an undeclared field', { type: 'object', required: ['reason'] }, { amount: 1 }],
  [
    'a recursive reference',
    { $defs: { n: { properties: { of: { $ref: '#/$defs/n' } }, maxProperties: 1 } }, $ref: '#/$defs/n' },
    { of: { a: 1, b: 2 } },
  ],
  ['draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { a: ['b'] } }, { a: 1 }],
]

test.each(dropped)(
  'an edit that breaks argsSchema by %s is refused at every door, and the request stays',
  async (_, schema, args) => {
    const { store, state, request, pay } = await asked([reviewed(schema)])
    const atState = await refused(state.edit(request, { args }), EditInvalid, 'edit_invalid')
    expect(atState).toHaveProperty('problems.0')
    const decision = { type: 'edit', args }
    await refused(openDesk({ store }).decide({ request: request.id, decision, by: ann }), EditInvalid, 'edit_invalid')
    expect((await openDesk({ store }).get(request.id)).status).toBe('open')
    expect(pay.runs).toEqual([])
  },
)

test.each(dropped)('a door without the agent enforces %s of the stored schema of a tool', async (_, schema, args) => {
  const store = memoryStore()
  const pay = gated('pay', { parametersJsonSchema: { type: 'object', ...schema } })
  const agent = new Agent({ name: 'clerk', model: scriptedModel([calls(['a', 'pay', {}])]), tools: [pay] })
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const decide = openDesk({ store }).decide({
    request: interruptions[0]!.id,
    decision: { type: 'edit', args },
    by: ann,
  })
  await refused(decide, EditInvalid, 'edit_invalid')
})

const broken: [JsonObject, string][] = [
  [{ type: 'strng' }, 'type: must be equal to one of the allowed values'],
  [{ $ref: 'http://127.0.0.1:9/a.json' }, "can't resolve reference http://127.0.0.1:9/a.json"],
  [{ properties: { a: { pattern: '(' } } }, 'Invalid regular expression'],
]

test.each(broken)('an agent whose argsSchema is %j is not built', (schema, reason) => {
  expect(() => reviewed(schema)).toThrow(PolicyInvalid)
  expect(() => reviewed(schema)).toThrow(reason)
})

test('a tool is not built with a JSON Schema by hand that cannot be compiled', () => {
  const made = () => gated('pay', { parametersJsonSchema: { type: 'object', properties: { a: { type: 'strng' } } } })
  expect(made).toThrow(ToolInvalid)
  expect(made).toThrow('properties.a.type: must be equal to one of the allowed values')
})

test('a policy in code whose argsSchema cannot be compiled stops the call', async () => {
  const policy = definePolicy(() => ({ verdict: 'review', argsSchema: { type: 'strng' } }))
  failedWith((await asked([policy])).result, PolicyFailed, 'policy_failed')
})

test('schemas of several policies count together, each with its own draft and references', async () => {
  const a = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $ref: '#/definitions/x',
    definitions: { x: { required: ['a'] } },
  }
  const b = { $ref: '#/$defs/x', $defs: { x: { dependentRequired: { a: ['b'] } } } }
  const c = { maxProperties: 3 }
  const { agent, store, state, request, pay } = await asked([reviewed(a, 'a'), reviewed(b, 'b'), reviewed(c, 'c')])
  for (const args of [{}, { a: 1 }, { a: 1, b: 1, c: 1, d: 1 }])
    await refused(state.edit(request, { args }), EditInvalid, 'edit_invalid')
  await openDesk({ store }).decide({ request: request.id, decision: { type: 'edit', args: { a: 1, b: 1 } }, by: ann })
  await run(agent, await RunState.load(agent, { store, threadId: 't' }))
  expect(pay.runs.map((ran) => ran.args)).toEqual([{ a: 1, b: 1 }])
})

test('the model is told the schema of a draft 7 tool without its draft, which some providers refuse', async () => {
  const model = scriptedModel(['Done.'])
  const draft7 = tool({
    name: 'look',
    description: '',
    parameters: z.looseObject({}),
    parametersJsonSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
    execute: () => 'x',
  })
  await run(new Agent({ name: 'clerk', model, tools: [draft7] }), 'go')
  expect(draft7.definition.parameters).toHaveProperty('$schema')
  expect(model.requests[0]?.tools[0]?.parameters).toEqual({ type: 'object' })
})
