import { setTimeout as pause } from 'node:timers/promises'
import { Agent, tool } from 'holdpoint'
import { z } from 'zod'

/** The version of the code. */
export const VERSION = '1'

/** A model without a state: what it does depends on the wish of its user, so any process can go on with it. @type {import('holdpoint').Model} */
const model = {
  name: 'scripted',
  async respond({ messages, tools }) {
    const wish = JSON.parse(String(messages.find(({ role }) => role === 'user')?.content))
    const turn = messages.filter(({ role }) => role === 'assistant').length
    if (wish.kind === 'nested' && tools.some(({ name }) => name === 'assistant')) {
      if (turn > 0) return { content: 'done' }
      return { toolCalls: [{ id: 'nested', name: 'assistant', args: { input: JSON.stringify(wish) } }] }
    }
    if (wish.kind === 'grant') {
      if (turn > 2) return { content: 'done' }
      return { toolCalls: [{ id: `spend-${turn}`, name: 'spend', args: { amount: 10 + turn } }] }
    }
    if (turn > 0) return { content: 'done' }
    const name = wish.kind === 'expire' ? 'refund_soon' : 'refund'
    return {
      toolCalls: [
        { id: 'refund', name, args: { amount: 10 } },
        { id: 'notify', name: 'notify', args: { amount: 0 } },
      ],
    }
  },
}

/**
 * The agent whose runs people decide about.
 * @param {import('./effects.js').EffectRow['process']} name of the process
 * @param {{ add(row: import('./effects.js').EffectRow): void }} effects
 */
export function createClerk(name, effects) {
  const parameters = z.object({ amount: z.number() })
  /** @param {string} of */
  const act =
    (of) =>
    async (/** @type {{ amount: number }} */ { amount }, /** @type {import('holdpoint').ToolContext} */ ctx) => {
      const { threadId, toolCallId, idempotencyKey: key, attempt } = ctx
      effects.add({ threadId, tool: of, toolCallId, version: VERSION, key, attempt, amount, process: name })
      // Long enough to be killed in.
      await pause(30)
      return `${of} ${amount}`
    }
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters,
    needsApproval: true,
    execute: act('refund'),
  })
  const refundSoon = tool({
    name: 'refund_soon',
    description: 'Pays money back, unless nobody looks at it soon.',
    parameters,
    needsApproval: true,
    review: { timeoutSeconds: 2 },
    execute: act('refund_soon'),
  })
  const spend = tool({
    name: 'spend',
    description: 'Spends money, also on a standing decision.',
    parameters,
    needsApproval: true,
    execute: act('spend'),
  })
  const notify = tool({
    name: 'notify',
    description: 'Sends a message.',
    parameters,
    idempotent: true,
    execute: act('notify'),
  })
  const tools = [refund, refundSoon, spend, notify]
  const assistant = new Agent({ name: 'assistant', model, tools })
  const own = assistant.asTool({ name: 'assistant', description: 'Makes refunds.' })
  return new Agent({ id: 'clerk', name: 'clerk', version: VERSION, model, tools: [...tools, own] })
}
