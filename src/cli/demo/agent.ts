import { z } from 'zod'
import { Agent, tool } from '../../index.ts'
import { supportModel } from './model.ts'
import { findOrder, money } from './orders.ts'
import type { RefundLog } from './refund-log.ts'

/** The live objects of the demo's tools. */
export interface DemoDeps {
  readonly refunds: RefundLog
}

const lookUpOrder = tool({
  name: 'look_up_order',
  description: 'Finds an order by its number.',
  parameters: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => {
    const order = findOrder(orderId)
    if (!order) throw new Error(`there is no order ${orderId}`)
    return order
  },
})

const refund = tool({
  name: 'refund',
  description: 'Pays money back to the customer of an order.',
  parameters: z
    .object({
      orderId: z.string().regex(/^[A-Z]-\d+$/, 'must look like A-1042'),
      amountCents: z.number().int().positive(),
      currency: z.enum(['EUR', 'USD', 'GBP']),
      reason: z.string().min(1),
    })
    // No JSON Schema can say this, so a command line without this code cannot check it: the tool does, before it runs.
    .refine(({ orderId, amountCents }) => amountCents <= (findOrder(orderId)?.amountCents ?? 0), {
      path: ['amountCents'],
      message: 'must not be more than was paid for the order',
    }),
  needsApproval: true,
  execute: ({ orderId, amountCents, currency }, ctx) => {
    const { refunds } = ctx.deps as DemoDeps
    const amount = money(amountCents, currency)
    refunds.append({
      threadId: ctx.threadId,
      orderId,
      amount,
      approvedBy: ctx.approvedBy?.id ?? '',
      idempotencyKey: ctx.idempotencyKey,
    })
    return { refunded: amount, orderId }
  },
})

/** A support agent that may look orders up by itself, and must ask before it refunds one. */
export const supportAgent = new Agent({
  name: 'support',
  instructions: 'Help customers with their orders.',
  model: supportModel,
  tools: [lookUpOrder, refund],
})
