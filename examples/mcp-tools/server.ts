// A small MCP server, started by main.ts as a process of its own.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const stock = new Map([
  ['lamp', 3],
  ['chair', 0],
])
const server = new McpServer({ name: 'shop', version: '1' })

server.registerTool(
  'stock',
  {
    description: 'How many of an article there are.',
    inputSchema: { article: z.string() },
    annotations: { readOnlyHint: true },
  },
  ({ article }) => ({ content: [{ type: 'text', text: `${stock.get(article) ?? 0} of ${article}` }] }),
)
server.registerTool(
  'order',
  {
    description: 'Orders an article.',
    inputSchema: { article: z.string(), count: z.number().int().positive() },
    annotations: { destructiveHint: true },
  },
  ({ article, count }) => {
    stock.set(article, (stock.get(article) ?? 0) + count)
    return {
      content: [{ type: 'text', text: `${count} of ${article} ordered` }],
      structuredContent: { article, count },
    }
  },
)
await server.connect(new StdioServerTransport())
