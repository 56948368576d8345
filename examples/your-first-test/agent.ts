// The agent under test, as an application would define it. The model is a parameter.
import { Agent, type Model, type ToolContext, tool } from 'holdpoint'
import { z } from 'zod'

/** Moves money. A live object, so it is passed as `deps` and never stored. */
export interface Bank {
  pay(cents: number, key: string): Promise<void>
}

const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  parameters: z.object({ cents: z.number().int().positive() }),
  needsApproval: true,
  async execute({ cents }, { deps, idempotencyKey }: ToolContext<unknown, Bank>) {
    await deps.pay(cents, idempotencyKey)
    return `${cents} cents were paid back.`
  },
})

export function supportAgent(model: Model): Agent {
  return new Agent({ name: 'support', model, tools: [refund] })
}
