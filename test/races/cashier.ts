import { z } from 'zod'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'

/** An agent whose model asks for a gated `refund` and a free `lookup`, then says how many results it read. */
export interface Cashier {
  agent: Agent
  /** What ran: tool and idempotency key, one for each time. */
  ran: { tool: string; key: string }[]
}

/** Makes one that asks for as many refunds. `lookup` and `model` are waited for where they say. */
export function cashier(waits: { lookup?: Promise<void>; model?: Promise<void>; refunds?: number } = {}): Cashier {
  const ran: Cashier['ran'] = []
  const agent = new Agent({
    id: 'cashier',
    name: 'Cashier',
    model: {
      async respond({ messages }) {
        const own = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
        const results = own.filter(({ role }) => role === 'tool').length
        if (results > 0) return { content: `done after ${results} results` }
        await waits.model
        const said = messages.findLast(({ role }) => role === 'user')?.content
        if (said === 'just talk') return { content: 'well' }
        return {
          toolCalls: [
            ...Array.from({ length: waits.refunds ?? 1 }, (_, index) => ({
              id: `c-refund-${index}`,
              name: 'refund',
              args: { amount: 40 + index },
            })),
            { id: 'c-lookup', name: 'lookup', args: {} },
          ],
        }
      },
    },
    tools: [
      tool({
        name: 'refund',
        description: 'Pays money back.',
        parameters: z.object({ amount: z.number() }),
        needsApproval: true,
        execute(_, ctx) {
          ran.push({ tool: 'refund', key: ctx.idempotencyKey })
          return 'refunded'
        },
      }),
      tool({
        name: 'lookup',
        description: 'Reads.',
        parameters: z.object({}),
        async execute(_, ctx) {
          ran.push({ tool: 'lookup', key: ctx.idempotencyKey })
          await waits.lookup
          return 'found'
        },
      }),
    ],
  })
  return { agent, ran }
}
