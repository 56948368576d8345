import { Agent, tool } from 'holdpoint'
import { z } from 'zod'
import { supportModel } from './model.js'
import { findOrder, money } from './orders.js'

/** The live objects that tools get as `ctx.deps`. @typedef {{ refunds: import('./refund-log.js').RefundLog }} Deps */

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
    // JSON Schema cannot express this rule, so `holdpoint edit`, which does not have this code, cannot check it. The tool checks it before it runs.
    .refine(({ orderId, amountCents }) => amountCents <= (findOrder(orderId)?.amountCents ?? 0), {
      path: ['amountCents'],
      message: 'must not be more than was paid for the order',
    }),
  needsApproval: true,
  execute: ({ orderId, amountCents, currency }, ctx) => {
    const { refunds } = /** @type {Deps} */ (ctx.deps)
    const amount = money(amountCents, currency)
    const { threadId, idempotencyKey, approvedBy } = ctx
    refunds.append({ threadId, orderId, amount, approvedBy: approvedBy?.id ?? '', idempotencyKey })
    return { refunded: amount, orderId }
  },
})

/** A support agent that looks orders up by itself, and must ask before it refunds one. */
export const supportAgent = new Agent({
  name: 'support',
  instructions: 'Help customers with their orders.',
  model: supportModel,
  tools: [lookUpOrder, refund],
})
