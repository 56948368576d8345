import { trace } from '@opentelemetry/api'
import { Agent, tool } from 'holdpoint'
import { z } from 'zod'

/** The module of `holdpoint worker --agents`: an agent that pays once somebody approved it. Its tool has a span of its own, as a driver would. */
export const agents = [
  new Agent({
    id: 'teller',
    name: 'Teller',
    model: {
      async respond({ messages }) {
        const last = messages.at(-1)
        if (last?.role === 'tool') return { content: 'done' }
        return { toolCalls: [{ id: 'c1', name: 'pay', args: { iban: String(last?.content) } }] }
      },
    },
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        parameters: z.object({ iban: z.string() }),
        needsApproval: true,
        execute: async ({ iban }) => {
          trace.getTracer('bank').startSpan('bank.transfer').end()
          return `paid to ${iban}`
        },
      }),
    ],
  }),
]
