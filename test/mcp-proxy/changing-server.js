// An MCP server whose tool changes: its definition is read from a file at each list, and each call is written to another.
import { appendFileSync, readFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [, , definitions, log] = process.argv
const server = new Server({ name: 'changing', version: '1' }, { capabilities: { tools: { listChanged: true } } })
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: JSON.parse(readFileSync(definitions, 'utf8')) }))
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  appendFileSync(log, `${JSON.stringify(params)}\n`)
  // The outcome of this call is never told.
  if (params.arguments?.die) process.kill(process.pid, 'SIGKILL')
  if (params.arguments?.wait) await new Promise((resolve) => setTimeout(resolve, Number(params.arguments.wait)))
  return { content: [{ type: 'text', text: `paid ${params.arguments?.cents}` }] }
})
await server.connect(new StdioServerTransport())
