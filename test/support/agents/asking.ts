import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { Agent, definePolicy, run, type Store, tool } from '../../../src/index.ts'
import type { ReviewOptions } from '../../../src/policy/policy.ts'
import { scriptedModel } from '../../../src/testing.ts'

/** A request that a run has just opened. */
export interface Asked {
  id: string
  threadId: string
  digest: string
}

/** Runs an agent until it asks about a refund. Options of the policy say whom; `title` is the headline that the tool declares. */
export async function askForRefund(
  store: Store,
  { threadId = randomUUID(), title, ...review }: ReviewOptions & { threadId?: string; title?: string } = {},
): Promise<Asked> {
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters: z.object({ cents: z.number(), note: z.string() }),
    ...(title === undefined ? {} : { display: { title } }),
    execute: () => 'paid',
  })
  const args = { cents: 500, note: 'a secret of the customer' }
  const agent = new Agent({
    name: 'clerk',
    model: scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args }] }, 'Done.']),
    tools: [refund],
    policy: definePolicy(() => ({ verdict: 'review', ...review }), { name: 'refunds' }),
  })
  const { interruptions } = await run(agent, 'Please pay back.', { store, threadId })
  const [request] = interruptions
  if (!request) throw new Error('the run did not ask')
  return { id: request.id, threadId, digest: request.digest ?? '' }
}
