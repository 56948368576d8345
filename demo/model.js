import { resultOf, textOf } from './messages.js'

/**
 * @typedef {import('holdpoint').JsonObject} JsonObject
 * @typedef {import('holdpoint').Message} Message
 * @typedef {import('holdpoint/ports').ModelResponse} ModelResponse
 */

/**
 * The demo's model: a function of the conversation alone, so it says the same in every process. It looks the order up, asks for the refund,
 * and reports what came of it.
 * @type {import('holdpoint').Model}
 */
export const supportModel = {
  name: 'scripted support agent',
  respond: async ({ messages }) => {
    const order = resultOf(messages, 'look_up_order')
    const refund = resultOf(messages, 'refund')
    if (refund) return { content: closingWords(refund) }
    if (!order) return lookUp(messages)
    const data = /** @type {JsonObject | undefined} */ (order.data)
    if (order.isError || !data) return { content: 'I could not find that order. Could you check its number?' }
    return askForRefund(data)
  },
}

/** @param {readonly Message[]} messages @returns {ModelResponse} */
function lookUp(messages) {
  const asked = messages.findLast((message) => message.role === 'user')
  const [orderId] = /\b[A-Z]-\d+\b/.exec(asked ? textOf(asked.content) : '') ?? []
  if (orderId === undefined) return { content: 'Which order is it about?' }
  return {
    content: 'I am sorry to hear that. Let me look at the order.',
    toolCalls: [{ id: 'call-look-up', name: 'look_up_order', args: { orderId } }],
  }
}

/** @param {JsonObject} order @returns {ModelResponse} */
function askForRefund({ item, orderId = '', amountCents = 0, currency = '' }) {
  return {
    content: `I found it: ${item}. It broke on the way, so I would like to refund it in full.`,
    toolCalls: [
      { id: 'call-refund', name: 'refund', args: { orderId, amountCents, currency, reason: 'Arrived broken' } },
    ],
  }
}

/**
 * A refused call has the reason as its text. The result of an edited call holds what really ran, with the tool's own result inside.
 * @param {import('./messages.js').ToolMessage} refund
 */
function closingWords(refund) {
  const text = textOf(refund.content)
  if (refund.isError) return `I am not able to refund this order. I was told: ${text}`
  const data = /** @type {JsonObject} */ (refund.data ?? {})
  const edited = data.edited !== undefined
  const made = /** @type {JsonObject | undefined} */ (edited ? data.result : data)
  if (made?.refunded === undefined) return `About your refund: ${text}`
  return `I refunded ${made.refunded} for order ${made.orderId}${edited ? ', after a colleague corrected it' : ''}. Sorry for the trouble!`
}
