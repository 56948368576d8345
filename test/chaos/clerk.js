import { setTimeout as pause } from 'node:timers/promises'
import { Agent, tool } from 'holdpoint'
import { z } from 'zod'

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
    return {
      toolCalls: [callFor(wish.kind), { id: 'notify', name: 'notify', args: { amount: 0 } }],
    }
  },
}

/** The call that people are asked about. @param {string} kind */
function callFor(kind) {
  switch (kind) {
    case 'expire':
    case 'late':
      return { id: 'refund', name: 'refund_soon', args: { amount: 10 } }
    case 'confirm':
    case 'ask':
      return { id: 'consult', name: 'consult', args: { how: kind, seconds: 600 } }
    case 'unanswered':
      return { id: 'consult', name: 'consult', args: { how: 'confirm', seconds: 2 } }
    default:
      return { id: 'refund', name: 'refund', args: { amount: 10 } }
  }
}

/**
 * The agent whose runs people decide about, in a version of its code.
 * @param {string} version
 * @param {import('./effects.js').EffectRow['process']} name of the process
 * @param {{ add(row: import('./effects.js').EffectRow): void }} effects
 */
export function createClerk(version, name, effects) {
  const parameters = z.object({ amount: z.number() })
  /**
   * @param {string} tool
   * @param {{ amount?: number, answer?: unknown }} does
   * @param {import('holdpoint').ToolContext} ctx
   */
  const write = async (tool, { amount, answer }, ctx) => {
    const { threadId, toolCallId, idempotencyKey: key, attempt } = ctx
    const does = { amount: amount ?? null, answer: answer === undefined ? null : JSON.stringify(answer) }
    const tenantId = String(ctx.context)
    effects.add({ tenantId, threadId, tool, toolCallId, version, key, attempt, ...does, process: name })
    // Long enough to be killed in.
    await pause(30)
    return `${tool} ${amount}`
  }
  /** @param {string} of */
  const act =
    (of) =>
    (/** @type {{ amount: number }} */ { amount }, /** @type {import('holdpoint').ToolContext} */ ctx) =>
      write(of, { amount }, ctx)
  const consult = tool({
    name: 'consult',
    description: 'Asks somebody, and notes the answer.',
    parameters: z.object({ how: z.enum(['confirm', 'ask']), seconds: z.number() }),
    resumable: true,
    execute: async ({ how, seconds: timeoutSeconds }, ctx) => {
      const answer =
        how === 'confirm'
          ? await ctx.confirm('Go on?', { timeoutSeconds })
          : await ctx.ask([{ key: 'why', prompt: 'Why?' }], { timeoutSeconds })
      return ctx.step('note', () => write('consult', { answer }, ctx))
    },
  })
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
  const tools = [refund, refundSoon, spend, notify, consult]
  const assistant = new Agent({ name: 'assistant', model, tools })
  const own = assistant.asTool({ name: 'assistant', description: 'Makes refunds.' })
  return new Agent({ id: 'clerk', name: 'clerk', version, model, tools: [...tools, own] })
}
