// A client and a server of MCP, both as they are. Between them: a proxy that lets reading run and holds payments for a person.
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { humanInTheLoop, memoryStore, openDesk } from 'holdpoint'
import { createGate } from 'holdpoint/gate'
import { createMcpProxy, pinnedDefinitions } from 'holdpoint/mcp'

const program = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'server.ts' : 'server.js')

// Use sqliteStore or postgresStore, so that requests survive the process. `holdpoint mcp-proxy --config FILE` does all of this.
const store = memoryStore()
const policy = [humanInTheLoop({ interruptOn: { 'bank.pay': true } }), pinnedDefinitions()]
const proxy = createMcpProxy({
  gate: createGate({ store, policy, source: 'mcp' }),
  servers: { bank: { command: process.execPath, args: [...process.execArgv, program] } }, // as this process was started
  wait: { holdSeconds: 1 },
})

// The client would be Claude, Cursor, an SDK: it sees the server's own tools.
const [near, far] = InMemoryTransport.createLinkedPair()
await proxy.connect(far, { principal: 'ann' })
const client = new Client({ name: 'any', version: '1' })
await client.connect(near)
const call = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
  const { content } = await client.callTool({ name, arguments: args })
  return (content as { text: string }[]).map(({ text }) => text).join()
}
console.log((await client.listTools()).tools.map(({ name }) => name).join(', '))
console.log(await call('balance'))

// A payment is held. The client is told so before it loses patience, and the request stays open.
console.log((await call('pay', { cents: 1_000 })).split(' (')[0])

// A person decides: here at a desk, else in the inbox. Nothing runs before the client asks again.
const desk = openDesk({ store })
for (const request of (await desk.list({ status: 'open' })).requests)
  await desk.decide({ request, decision: { type: 'approve' }, by: 'ann' })
console.log(await call('balance'))
console.log(await call('pay', { cents: 1_000 }))

await client.close()
await proxy.close()
