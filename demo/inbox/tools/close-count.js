import { tool } from 'holdpoint'
import { z } from 'zod'
import { perform } from '../deps.js'

export const compareStock = tool({
  name: 'compare_stock',
  description: 'Compares what was counted with what should be there.',
  parameters: z.object({ warehouse: z.number().int() }),
  idempotent: true,
  execute: () => '4,118 of 4,120',
})

/** Asks before it closes a count with a difference. */
export const closeCount = tool({
  name: 'close_count',
  description: 'Closes the count of a warehouse.',
  parameters: z.object({ warehouse: z.number().int() }),
  resumable: true,
  idempotent: true,
  execute: async ({ warehouse }, ctx) => {
    const yes = await ctx.confirm(`Close the count of warehouse ${warehouse}?`, {
      details: {
        counted: '4,118 of 4,120 items',
        missing: ['SKU 7719 Kettle, red', 'SKU 8004 Lid, 20 cm'],
        valueDifference: '−€38.40',
      },
    })
    return yes
      ? ctx.step('close', () => perform(ctx, `closed the count of warehouse ${warehouse}`))
      : 'the count stays open'
  },
})
