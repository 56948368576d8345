import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, test } from 'vitest'
import { Agent } from '../../src/index.ts'
import { type McpServerOptions, mcpServer } from '../../src/mcp.ts'
import { scripted } from '../support/agents/scripted-agent.ts'
import { connected, stdio } from './servers.ts'
import { createServer } from './tools.js'

const way = { command: 'true' }

describe('options that cannot be meant', () => {
  test.each<[string, object]>([
    ['it needs a name', way],
    ['there is no option "requireAproval"', { name: 'a', ...way, requireAproval: 'always' }],
    ['one of command, url and transport', { name: 'a' }],
    ['one of command, url and transport', { name: 'a', ...way, url: 'http://127.0.0.1' }],
    ['url must be an http or https URL', { name: 'a', url: 'file:///etc/passwd' }],
    ['args goes with command', { name: 'a', url: 'http://127.0.0.1', args: [] }],
    ['headers go with url', { name: 'a', ...way, headers: {} }],
    ['its namespace "a b"', { name: 'a b', ...way }],
    ['its namespace "a__b"', { name: 'a__b', ...way }],
    ['timeoutSeconds must be', { name: 'a', ...way, timeoutSeconds: 0 }],
    ['toolFilter must be', { name: 'a', ...way, toolFilter: 'pay' }],
    [`requireApproval must be 'always'`, { name: 'a', ...way, requireApproval: 'nevr' }],
    ['requireApproval is empty', { name: 'a', ...way, requireApproval: {} }],
    ['names "pay" twice', { name: 'a', ...way, requireApproval: { always: ['pay'], never: ['pay'] } }],
    ['must be an array of tool names', { name: 'a', ...way, requireApproval: { never: [] } }],
    ['has no option "tool_names"', { name: 'a', ...way, requireApproval: { never: { tool_names: ['pay'] } } }],
    [`requireApproval.pay must be 'always' or 'never'`, { name: 'a', ...way, requireApproval: { pay: true } }],
  ])('%s', (problem, options) => {
    expect(() => mcpServer(options as McpServerOptions)).toThrow(
      expect.objectContaining({ code: 'mcp_server_invalid', message: expect.stringContaining(problem) }),
    )
  })
})

test('a name that the server does not have is an error when it connects', async () => {
  for (const options of [{ requireApproval: { never: ['payy'] } }, { toolFilter: ['payy'] }]) {
    const { server } = stdio(options)
    await expect(server.connect()).rejects.toMatchObject({
      code: 'mcp_server_invalid',
      message: expect.stringContaining('it has no tool "payy"'),
    })
  }
})

test('a program that is not there, or is no MCP server, is an error when it connects', async () => {
  await expect(connected({ name: 'a', command: '/nowhere' }).connect()).rejects.toMatchObject({
    code: 'mcp_server_failed',
    server: 'a',
  })
  const { server } = stdio({ args: ['-e', ''] })
  await expect(server.tools()).rejects.toMatchObject({ code: 'mcp_server_failed' })
})

test('the rules of requireApproval: what is not named is reviewed', async () => {
  const needed = async (requireApproval: McpServerOptions['requireApproval']) => {
    const { server } = stdio({ ...(requireApproval ? { requireApproval } : {}), toolFilter: ['pay', 'look'] })
    return (await server.tools()).map(({ needsApproval }) => needsApproval)
  }
  expect(await needed({ look: 'never' })).toEqual([true, false])
  expect(await needed({ always: ['pay'] })).toEqual([true, true])
  expect(await needed({ always: { toolNames: ['pay'] }, never: { toolNames: ['look'] } })).toEqual([true, false])
})

test('a filter takes what it is asked for, and a trusted server may call its tools harmless', async () => {
  const { server } = stdio({
    toolFilter: ({ annotations }) => annotations.readOnlyHint === true,
    trustAnnotations: true,
  })
  expect((await server.tools()).map(({ name, risk }) => [name, risk])).toEqual([['till__look', 'low']])
})

test('two servers of one namespace cannot be given to one agent', async () => {
  const tools = [...(await stdio().server.tools()), ...(await stdio().server.tools())]
  const { model } = scripted([])
  expect(() => new Agent({ name: 'clerk', model, tools })).toThrow('two tools named "till__pay"')
})

test('a transport of your own is used once, a function as often as needed', async () => {
  const open = async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await createServer({ log: () => undefined, describePay: () => 'Pays.' }).connect(theirs)
    return { ours, theirs }
  }
  const { ours, theirs } = await open()
  const once = connected({ name: 'a', transport: ours })
  await once.connect()
  await theirs.close()
  await expect(once.tools()).rejects.toThrow('its transport can be used only once')
  const made: InMemoryTransport[] = []
  const often = connected({
    name: 'b',
    transport: async () => {
      const pair = await open()
      made.push(pair.theirs)
      return pair.ours
    },
  })
  await often.connect()
  await made[0]?.close()
  expect((await often.tools()).length).toBe(8)
  expect(made).toHaveLength(2)
})
