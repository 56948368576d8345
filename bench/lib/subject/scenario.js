// @ts-check
import { z } from 'zod'

/**
 * What every system is asked to do, in words that belong to none of them: the same tools, the same texts, the same answers of the model
 * in the same order. A step is one answer of the model: a text, or one tool call.
 *
 * @typedef {{ text: string } | { call: { id: string, name: string, args: Record<string, unknown> } }} Step
 */

const FILLER =
  'The order was placed on the third of March, paid by card, packed on the fourth, handed to the carrier on the fifth and signed for at the front desk on the seventh.'

/** The two tools: one is free, one has to be approved. */
export const TOOLS = {
  lookup: {
    name: 'lookup',
    description: 'Looks an order up.',
    parameters: z.object({ orderId: z.number() }),
    gated: false,
    /** @param {{ orderId: number }} args */
    execute: ({ orderId }) => `Order ${orderId}: ${FILLER}`,
  },
  refund: {
    name: 'refund',
    description: 'Refunds an order.',
    parameters: z.object({ orderId: z.number(), reason: z.string() }),
    gated: true,
    /** @param {{ orderId: number, reason: string }} args */
    execute: ({ orderId }) => `Refunded order ${orderId}.`,
  },
}

export const INSTRUCTIONS = 'You look after orders. Be brief.'
export const FIRST_INPUT = 'What is going on with my orders?'
export const INPUT = 'The last one arrived broken. Please refund it.'
export const DONE = { text: `All done. ${FILLER}` }

/** @param {number} i @returns {Step} */
export function lookUp(i) {
  return { call: { id: `call_lookup_${i}`, name: 'lookup', args: { orderId: i } } }
}

/** @param {number} i @returns {Step} */
export function refund(i) {
  return { call: { id: `call_refund_${i}`, name: 'refund', args: { orderId: i, reason: 'It arrived broken.' } } }
}

/** Tool turns that nobody has to approve. @param {number} turns @returns {Step[]} */
export function lookUps(turns) {
  return Array.from({ length: turns }, (_, i) => lookUp(i))
}
