// An MCP server that was never written for holdpoint.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const cents = { type: 'object', properties: { cents: { type: 'number' } }, required: ['cents'] }
const server = new Server({ name: 'bank', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [
    { name: 'balance', description: 'Shows the balance.', inputSchema: { type: 'object' } },
    { name: 'pay', description: 'Pays an amount.', inputSchema: cents },
  ],
}))
let balance = 5_000
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  if (params.name === 'pay') balance -= Number(params.arguments?.cents)
  return { content: [{ type: 'text', text: `balance: ${balance}` }] }
})
await server.connect(new StdioServerTransport())
