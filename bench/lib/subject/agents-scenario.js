// @ts-check
import { DONE, lookUps, refund } from './scenario.js'

/**
 * What the cases with several calls or agents ask every system to do. A step is one answer of a model: a text, one call, or several calls at once.
 *
 * @typedef {import('./scenario.js').Step | { calls: { id: string, name: string, args: Record<string, unknown> }[] }} AgentsStep
 */

export const CALLS = 10

/** As many free tool calls, one after the other. @type {AgentsStep[]} */
export const PLAIN = [...lookUps(CALLS), DONE]

/** As many calls at once that all have to be approved. @type {AgentsStep} */
export const TOGETHER = {
  calls: Array.from({ length: CALLS }, (_, i) => refund(i)).flatMap((step) => ('call' in step ? [step.call] : [])),
}

/** The agents of a nested run, the root last. The first has the tools. */
export const LEVELS = ['clerk', 'desk', 'office']

/** The root asks the desk, which asks the clerk, who wants to refund. @type {AgentsStep[]} */
export const DOWN = [
  { call: { id: 'call_desk', name: 'desk', args: { input: 'Refund order 1.' } } },
  { call: { id: 'call_clerk', name: 'clerk', args: { input: 'Refund order 1, please.' } } },
  refund(1),
]

/** What each of them says when the refund is done. */
export const UP = [DONE, DONE, DONE]

/** One more refund, for a reason as long as that. @param {number} i @param {number} length @returns {import('./scenario.js').Step} */
export function refundFor(i, length) {
  const reason = 'It arrived broken. '.repeat(Math.ceil(length / 19)).slice(0, length)
  return { call: { id: `call_refund_${i}`, name: 'refund', args: { orderId: i, reason } } }
}

/** How many pieces a streamed answer comes in, and one of them. */
export const PARTS = 100
export const PART = 'and so on '
