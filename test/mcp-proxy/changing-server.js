import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

/**
 * An MCP server whose tool changes: its definition is read from a file at each list, and each call is written to another.
 *
 * @param {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} transport
 * @param {{ definitions: string, log: string, die(): unknown }} options
 */
export async function serveChanging(transport, { definitions, log, die }) {
  const server = new Server({ name: 'changing', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: JSON.parse(readFileSync(definitions, 'utf8')) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    appendFileSync(log, `${JSON.stringify(params)}\n`)
    // The outcome of this call is never told.
    if (params.arguments?.die) await die()
    // A call that says `until` ends when that file is there.
    while (params.arguments?.until && !existsSync(String(params.arguments.until)))
      await new Promise((resolve) => setTimeout(resolve, 5))
    return { content: [{ type: 'text', text: `paid ${params.arguments?.cents}` }] }
  })
  await server.connect(transport)
}
