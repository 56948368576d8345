import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { Agent, type JsonObject, run } from '../../src/index.ts'
import { toOffer } from '../../src/runtime/definition/tool/tool.ts'
import { scriptedModel } from '../../src/testing.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { connected, later } from './servers.ts'

/** A server with these tools, and the calls that reached it. */
async function serving(schemas: Record<string, JsonObject>) {
  const reached: string[] = []
  const transport = async () => {
    const server = new Server({ name: 'odd', version: '1' }, { capabilities: { tools: {} } })
    const tools = Object.entries(schemas).map(([name, rest]) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object' as const, ...rest },
    }))
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      reached.push(params.name)
      return { content: [{ type: 'text', text: 'done' }] }
    })
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await server.connect(theirs)
    later(() => server.close())
    return ours
  }
  const tools = await connected({ name: 'odd', transport, requireApproval: 'never' }).tools()
  return { tools, reached }
}

test.each<[string, JsonObject, string]>([
  ['a misspelt type', { properties: { a: { type: 'strng' } } }, 'properties.a.type'],
  [
    'a remote reference',
    { $ref: 'http://127.0.0.1:9/schema.json' },
    "can't resolve reference http://127.0.0.1:9/schema.json",
  ],
  ['another dialect', { $schema: 'https://example.test/dialect' }, 'draft 7 and draft 2020-12'],
])(
  'a tool whose schema has %s is listed and refused with the reason, and the others work',
  async (_, schema, reason) => {
    const { tools, reached } = await serving({ bad: schema, good: {} })
    expect(tools.map((tool) => tool.name)).toEqual(['odd__bad', 'odd__good'])
    const model = scriptedModel([calls(['a', 'odd__bad'], ['b', 'odd__good']), 'Done.'])
    const result = await run(new Agent({ name: 'clerk', model, tools }), 'go')
    expect(result.status).toBe('completed')
    expect(reached).toEqual(['good'])
    const [offer] = model.requests[0]?.tools ?? []
    expect(offer).toMatchObject({ name: 'odd__bad', parameters: { type: 'object' } })
    expect(offer?.description).toContain('Does bad. (This tool cannot be called: its JSON Schema cannot be compiled: ')
    expect(offer?.description).toContain(reason)
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('This tool cannot be called')
  },
)

test('what a server asserts of arguments is enforced here, its patterns too, and none of them can hang the process', async () => {
  const { tools, reached } = await serving({
    pay: { properties: { to: { pattern: '^(a+)+$' } }, dependentRequired: { to: ['cents'] } },
    mail: { properties: { to: { pattern: '^(?=(a+)+$)' } } },
  })
  const long = `${'a'.repeat(60)}!`
  const model = scriptedModel([
    calls(
      ['a', 'odd__pay', { to: long, cents: 1 }],
      ['b', 'odd__pay', { to: 'a' }],
      ['c', 'odd__mail', { to: long }],
      ['d', 'odd__pay', { to: 'aa', cents: 1 }],
    ),
    'Done.',
  ])
  const start = performance.now()
  await run(new Agent({ name: 'clerk', model, tools }), 'go')
  expect(performance.now() - start).toBeLessThan(30_000)
  expect(reached).toEqual(['pay'])
  const told = JSON.stringify(model.requests[1]?.messages)
  expect(told).toContain('to: must match pattern')
  expect(told).toContain('must have property cents when property to is present')
  expect(told).toContain('cannot be checked within 500 ms')
})

test('a long list of slow schemas stalls the process for a few seconds only, and tools within the time work', async () => {
  const slow = (tool: number): JsonObject => ({
    properties: Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`p${i}`, { pattern: `^(${tool}x${i}?){900}$` }]),
    ),
  })
  const before = process.cpuUsage()
  const { tools } = await serving({
    good: {},
    ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`s${i}`, slow(i)])),
  })
  // Processor time: other processes do not count.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(8_000)
  expect(tools).toHaveLength(11)
  const told = tools.map((tool) => toOffer(tool).description)
  expect(told[0]).toBe('Does good.')
  expect(told.at(-1)).toContain('used up the time for all of them')
})
