import { tool } from 'holdpoint'
import { z } from 'zod'
import { perform } from '../deps.js'

export const readOrderForm = tool({
  name: 'read_order_form',
  description: 'Reads the order form of a customer.',
  parameters: z.object({ customer: z.string() }),
  idempotent: true,
  execute: () => '14 fields, 2 empty',
})

/** @type {import('holdpoint').Question[]} */
const QUESTIONS = [
  {
    key: 'region',
    prompt: 'Where should the data live?',
    options: [
      { value: 'eu', label: 'Frankfurt', description: 'EU only, support in office hours' },
      { value: 'us', label: 'Virginia', description: 'lowest price, 24 hours' },
      { value: 'other', label: 'Somewhere else', allowInput: true },
    ],
  },
  {
    key: 'modules',
    prompt: 'Which modules start switched on?',
    multiSelect: true,
    options: [
      { value: 'orders', label: 'Orders' },
      { value: 'returns', label: 'Returns' },
      { value: 'loyalty', label: 'Loyalty' },
      { value: 'reports', label: 'Reports' },
    ],
  },
  { key: 'note', prompt: 'Anything the set-up should know?', required: false },
]

/** Asks people for what the order form does not say. Each effect is a step, so the body may be entered again. */
export const setUpShop = tool({
  name: 'set_up_shop',
  description: 'Sets a shop up for a new customer.',
  parameters: z.object({ customer: z.string() }),
  resumable: true,
  idempotent: true,
  execute: async ({ customer }, ctx) => {
    const { region, modules } = await ctx.ask(QUESTIONS, { timeoutSeconds: 26 * 3600 })
    return ctx.step('set up', () => perform(ctx, `set up ${customer} in ${region} with ${[modules].flat().join(', ')}`))
  },
})
