import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  CallToolResultSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { createGate } from '../../../src/gate.ts'
import { humanInTheLoop, type JsonValue } from '../../../src/index.ts'
import { createMcpProxy, pinnedDefinitions } from '../../../src/mcp.ts'
import type { AdapterHarness, AdapterHost, HostCall, HostCallState, HostSetup } from '../../../src/testing.ts'

/** The MCP proxy between the SDK's client and a server that has the tools. A client has no state to save: it makes the calls again that have not ended. */
export const mcpProxyHarness: AdapterHarness = { start }

async function start(setup: HostSetup): Promise<AdapterHost> {
  const { store, conversation, held } = setup
  const interruptOn = Object.fromEntries(held.map((name) => [`${conversation}.${name}`, true]))
  const policy = [humanInTheLoop({ interruptOn }), pinnedDefinitions()]
  const gate = createGate({ store, policy, source: 'mcp' })
  const proxy = createMcpProxy({
    // The store's clock may stand still: waiting for somebody ends at once.
    gate: { ...gate, wait: (call, options) => gate.wait(call, { ...options, timeoutSeconds: 0 }) },
    servers: { [conversation]: { transport: () => serverOf(setup) } },
    wait: { holdSeconds: 0.01 },
  })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await proxy.connect(far, { principal: 'tester' })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  const make = async (calls: readonly HostCall[]) => {
    const states = await Promise.all(calls.map((call) => callThrough(client, call)))
    const left = calls.filter((_, index) => states[index]?.status !== 'done' && states[index]?.status !== 'refused')
    return { calls: states, saved: left as unknown as JsonValue }
  }
  return {
    call: make,
    resume: (saved) => make(saved as unknown as HostCall[]),
    tamper: (saved, callId, args) =>
      (saved as unknown as HostCall[]).map((call) =>
        call.id === callId ? { ...call, args } : call,
      ) as unknown as JsonValue,
    forge: (calls) => calls as unknown as JsonValue,
    close: async () => {
      await client.close()
      await proxy.close({ graceSeconds: 0.01 })
    },
  }
}

async function serverOf({ tools }: HostSetup): Promise<Transport> {
  const server = new Server({ name: 'tools', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters as never })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name)!
    const result = await tool.run((params.arguments ?? {}) as never)
    return { content: [{ type: 'text', text: JSON.stringify(result) }] }
  })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  return near
}

async function callThrough(client: Client, { id, toolName, args }: HostCall): Promise<HostCallState> {
  const params = { name: toolName, arguments: args }
  try {
    const result = await client.request({ method: 'tools/call', params }, CallToolResultSchema, { timeout: 60_000 })
    if (result._meta?.['holdpoint/held'] !== undefined) return { id, status: 'waiting' }
    return result.isError
      ? { id, status: 'refused', message: textOf(result) }
      : { id, status: 'done', result: textOf(result) }
  } catch (error) {
    return { id, status: 'refused', message: String(error) }
  }
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
