import { tool } from 'holdpoint'
import { z } from 'zod'
import { perform } from '../deps.js'
import { euros, orderOf } from '../orders.js'

export const lookUpOrder = tool({
  name: 'lookup_order',
  description: 'Finds an order by its number.',
  parameters: z.object({ orderId: z.number().int().positive() }),
  idempotent: true,
  execute: ({ orderId }) => {
    const { item, total, to } = orderOf(orderId)
    return { orderId, item, total: euros(total), to }
  },
})

export const refund = tool({
  name: 'refund',
  description: 'Pays money back to the customer of an order.',
  parameters: z
    .object({
      amount: z.number().int().positive().describe('Cents'),
      to: z.email(),
      orderId: z.number().int().positive(),
      reason: z.enum(['damaged', 'missing', 'late', 'goodwill', 'other']),
      note: z.string().max(280).optional(),
      notify: z.boolean().default(true),
    })
    .refine(({ amount, orderId }) => amount <= orderOf(orderId).total, {
      path: ['amount'],
      message: 'must not be more than was paid for the order',
    }),
  idempotent: true,
  display: {
    title: 'Refund {amount} to {to}',
    fields: {
      amount: { format: 'money', currency: 'EUR', unit: 'minor' },
      to: 'email',
      orderId: { format: 'id', label: 'order' },
      reason: 'enum',
      note: 'text',
      notify: 'flag',
    },
    environment: 'production',
    affected: '1 customer',
  },
  execute: ({ amount, to, orderId }, ctx) => perform(ctx, `refunded ${euros(amount)} to ${to} for order ${orderId}`),
})
