import { z } from 'zod'

/**
 * An agent that wants to pay once, defined alike for the test (from the sources) and for its child (from the built package).
 *
 * @param {{ Agent: typeof import('holdpoint').Agent, tool: typeof import('holdpoint').tool }} holdpoint
 * @param {{ pay: (ctx: import('holdpoint').ToolContext) => unknown, beforeTool?: () => unknown, resumable?: boolean }} code
 */
export function createCashier({ Agent, tool }, { pay, beforeTool, resumable = false }) {
  return new Agent({
    id: 'cashier',
    name: 'Cashier',
    model: {
      async respond({ messages }) {
        if (messages.at(-1)?.role === 'tool') return { content: 'noted' }
        return { toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 100 } }] }
      },
    },
    ...(beforeTool ? { middleware: [{ name: 'slow', beforeTool: async () => void (await beforeTool()) }] } : {}),
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        parameters: z.object({ cents: z.number() }),
        needsApproval: true,
        resumable,
        execute: async (_args, ctx) => pay(ctx),
      }),
    ],
  })
}
