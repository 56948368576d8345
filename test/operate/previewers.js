import { appendFileSync } from 'node:fs'
import { Agent, definePolicy, tool } from 'holdpoint'
import { z } from 'zod'

/** The module of `holdpoint worker --agents`: an agent that refunds, with previews. What its tools do is noted in the file PAID. */
const refund = tool({
  name: 'refund',
  description: 'Pays back.',
  parameters: z.object({ cents: z.number() }),
  preview: async ({ cents }) => {
    if (cents === 13) throw new Error('the secret cause')
    if (cents === 14) await new Promise(() => undefined)
    return `pays ${cents} back`
  },
  execute: async ({ cents }) => {
    appendFileSync(String(process.env.PAID), `${cents}\n`)
    return 'paid'
  },
})

export const agents = [
  new Agent({
    id: 'refunder',
    name: 'Refunder',
    version: '2',
    model: {
      async respond({ messages }) {
        if (messages.at(-1)?.role === 'tool') return { content: 'done' }
        return { toolCalls: [{ id: 'c1', name: 'refund', args: { cents: 1 } }] }
      },
    },
    tools: [refund],
    policy: definePolicy(() => ({ verdict: 'review' })),
  }),
]

export const policies = [
  definePolicy(({ args }) =>
    Number(args.cents) > 100 ? { verdict: 'deny', reason: 'too much' } : { verdict: 'allow' },
  ),
]
