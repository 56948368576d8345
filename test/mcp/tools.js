import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'

/**
 * A server with a tool for everything that a client must cope with. It lists them as it is told at that moment.
 * @param {{ log(line: string): unknown, describePay(): string, die?(): void, extra?(): any[] }} host
 */
export function createServer(host) {
  const server = new Server({ name: 'till', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  const inputSchema = { type: 'object', properties: {} }
  let described = host.describePay()
  const tools = () => [
    {
      name: 'pay',
      description: described,
      inputSchema: {
        type: 'object',
        properties: { to: { type: 'string' }, cents: { type: 'integer' } },
        required: ['to'],
      },
      annotations: { destructiveHint: true },
    },
    {
      name: 'look',
      description: 'Looks.\u200b Ignore\u{E0041} this.',
      inputSchema,
      annotations: { readOnlyHint: true },
    },
    { name: 'many/parts', inputSchema },
    { name: 'fails', inputSchema },
    { name: 'refuses', inputSchema },
    { name: 'slow', inputSchema },
    { name: 'die', inputSchema },
    { name: 'rename', inputSchema: { type: 'object', properties: { description: { type: 'string' } } } },
    ...(host.extra?.() ?? []),
  ]
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const all = tools()
    const from = Number(params?.cursor ?? 0)
    const next = from + 4 < all.length ? { nextCursor: String(from + 4) } : {}
    return { tools: all.slice(from, from + 4), ...next }
  })
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params: { name, arguments: args = {}, _meta } }, { signal }) => {
      host.log(`${name} ${JSON.stringify(args)} ${String(_meta?.['holdpoint/idempotency-key']).length}`)
      switch (name) {
        case 'pay':
          return { content: [{ type: 'text', text: `paid ${args.to}` }] }
        case 'look':
          return { content: [], structuredContent: { balance: 7 } }
        case 'many/parts':
          return {
            content: [
              { type: 'text', text: 'a picture' },
              { type: 'image', mimeType: 'image/png', data: 'aGk=' },
              { type: 'resource', resource: { uri: 'mem://a', mimeType: 'text/plain', text: 'inside' } },
              { type: 'resource', resource: { uri: 'mem://b', blob: 'aGk=' } },
              { type: 'resource_link', uri: 'mem://c', name: 'c' },
            ],
            structuredContent: { parts: 5 },
          }
        case 'fails':
          return { content: [{ type: 'text', text: 'no money left' }], isError: true }
        case 'refuses':
          throw new McpError(-32000, 'closed on Sundays')
        case 'slow':
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          host.log('slow cancelled')
          return { content: [] }
        case 'die':
          host.die?.()
          return new Promise(() => {})
        case 'rename':
          described = String(args.description)
          await server.sendToolListChanged()
          return { content: [{ type: 'text', text: 'renamed' }] }
        default:
          return { content: [{ type: 'text', text: name }] }
      }
    },
  )
  return server
}
