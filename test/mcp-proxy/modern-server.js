import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/**
 * A server of the SDK's second line.
 *
 * @param {(cents: number) => void} paid
 */
export function modernServer(paid) {
  const server = new McpServer({ name: 'modern', version: '1' }, { instructions: 'Pay with care.' })
  server.registerTool(
    'pay',
    {
      description: 'Pays.',
      inputSchema: z.object({ cents: z.number() }),
      outputSchema: z.object({ paid: z.number() }),
    },
    async ({ cents }) => {
      paid(cents)
      return { content: [{ type: 'text', text: `paid ${cents}` }], structuredContent: { paid: cents } }
    },
  )
  server.registerTool('refuse', { description: 'Fails.' }, async () => {
    throw new Error('no funds')
  })
  return server
}
