import { appendFileSync } from 'node:fs'
import { Agent, tool } from 'holdpoint'
import { z } from 'zod'

/** The module of `holdpoint worker --agents`: an agent that pays what it is asked to, after somebody approved it, and notes that in the file PAID. */
export const agents = [
  new Agent({
    id: 'payer',
    name: 'Payer',
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
        execute: async ({ iban }, { deps }) => {
          const { paid } = /** @type {{ paid: string }} */ (deps)
          appendFileSync(paid, `${iban}\n`)
          await new Promise((resolve) => setTimeout(resolve, Number(process.env.PAYING_MS ?? 0)))
          appendFileSync(paid, 'finished\n')
          return 'paid'
        },
      }),
    ],
  }),
]

export const deps = () => ({ paid: process.env.PAID })
