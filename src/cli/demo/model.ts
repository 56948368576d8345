import type { JsonObject, Message, Model } from '../../index.ts'
import type { ModelResponse } from '../../ports.ts'
import { textOf } from '../../protocol/message.ts'

/**
 * The demo's model: a small function of the conversation and of nothing else, so that it says the same in every process. It looks the order
 * up, asks for the refund, and then reports what came of it.
 */
export const supportModel: Model = {
  name: 'scripted support agent',
  respond: async ({ messages }): Promise<ModelResponse> => {
    const order = resultOf(messages, 'look_up_order')
    const refund = resultOf(messages, 'refund')
    if (refund) return { content: closingWords(refund) }
    if (!order) return lookUp(messages)
    const data = order.data as JsonObject | undefined
    if (order.isError || !data) return { content: 'I could not find that order. Could you check its number?' }
    return {
      content: `I found it: ${data.item}. It broke on the way, so I would like to refund it in full.`,
      toolCalls: [
        {
          id: 'call-refund',
          name: 'refund',
          args: {
            orderId: data.orderId ?? '',
            amountCents: data.amountCents ?? 0,
            currency: data.currency ?? '',
            reason: 'Arrived broken',
          },
        },
      ],
    }
  },
}

type ToolMessage = Extract<Message, { role: 'tool' }>

function resultOf(messages: readonly Message[], toolName: string): ToolMessage | undefined {
  return messages.findLast((message) => message.role === 'tool' && message.toolName === toolName) as
    | ToolMessage
    | undefined
}

function lookUp(messages: readonly Message[]): ModelResponse {
  const asked = messages.findLast((message) => message.role === 'user')
  const [orderId] = /\b[A-Z]-\d+\b/.exec(asked ? textOf(asked.content) : '') ?? []
  if (orderId === undefined) return { content: 'Which order is it about?' }
  return {
    content: 'I am sorry to hear that. Let me look at the order.',
    toolCalls: [{ id: 'call-look-up', name: 'look_up_order', args: { orderId } }],
  }
}

/** A refused call says why as its text. A call that a person changed carries what really ran, and the tool's own result inside. */
function closingWords(refund: ToolMessage): string {
  const text = textOf(refund.content)
  if (refund.isError) return `I am not able to refund this order. I was told: ${text}`
  const data = (refund.data ?? {}) as JsonObject
  const changed = data.edited !== undefined
  const made = (changed ? data.result : data) as JsonObject | undefined
  if (made?.refunded === undefined) return `About your refund: ${text}`
  return `I refunded ${made.refunded} for order ${made.orderId}${changed ? ', after a colleague corrected it' : ''}. Sorry for the trouble!`
}
