import { z } from 'zod'
import type { Model } from '../../../src/ports/model.ts'
import { Agent } from '../../../src/runtime/agent/agent.ts'
import { tool } from '../../../src/runtime/definition/tool/tool.ts'
import type { ToolContext } from '../../../src/runtime/definition/tool/tool-context.ts'
import { here } from '../engine/machine.ts'
import type { World } from './world.ts'

/** What a thread's user asks for. The model reads it from the input. */
export interface Wish {
  /** The refunds of each turn. */
  turns: number[][]
  /** The refunds are made by an agent inside of the agent. */
  nested: boolean
  /** What else its first turn asks a person, inside of a tool's body. */
  question?: 'confirm' | 'ask'
}

function worldHere(): World {
  const machine = here()
  if (!machine) throw new Error('simulated code runs outside of its process')
  return machine.world as World
}

/** A model that makes the calls of its user's wish, turn by turn, and then says so. */
const model: Model = {
  name: 'simulated',
  async respond({ messages, tools }) {
    const said = messages.find(({ role }) => role === 'user')?.content
    const wish = JSON.parse(String(said)) as Wish
    const turn = messages.filter(({ role }) => role === 'assistant').length
    await worldHere().work('model')
    if (wish.nested && tools.some(({ name }) => name === 'assistant')) {
      if (turn > 0) return { content: 'done' }
      const input = JSON.stringify({ ...wish, nested: false })
      return { toolCalls: [{ id: 'nested', name: 'assistant', args: { input } }] }
    }
    const amounts = wish.turns[turn]
    if (!amounts) return { content: 'done' }
    return {
      toolCalls: [
        ...amounts.map((amount, index) => ({ id: `refund-${turn}-${index}`, name: 'refund', args: { amount } })),
        { id: `notify-${turn}`, name: 'notify', args: {} },
        ...(wish.question && turn === 0 ? [{ id: 'consult', name: 'consult', args: { how: wish.question } }] : []),
      ],
    }
  },
}

const DEADLINE = { timeoutSeconds: 8 }
const WHY = { key: 'why', prompt: 'Why?' }

/** The agent, whose code is of one version and, if somebody made a mistake, says another. */
export function makeClerk(version: string, said = version): Agent {
  const act = (name: string) => (args: object, ctx: ToolContext<unknown, unknown>) =>
    worldHere().body({ tool: name, version, args }, ctx)
  const consult = tool({
    name: 'consult',
    description: 'Asks somebody, and notes the answer.',
    parameters: z.object({ how: z.enum(['confirm', 'ask']) }),
    resumable: true,
    execute: async ({ how }, ctx) => {
      const answer = await (how === 'confirm' ? ctx.confirm('Go on?', DEADLINE) : ctx.ask([WHY], DEADLINE))
      return ctx.step('note', () => act('consult')({ answer }, ctx))
    },
  })
  const tools = [
    consult,
    tool({
      name: 'refund',
      description: 'Pays money back.',
      parameters: z.object({ amount: z.number() }),
      needsApproval: true,
      review: DEADLINE,
      execute: act('refund'),
    }),
    tool({
      name: 'notify',
      description: 'Sends a message. Sending it twice does no harm.',
      parameters: z.object({}),
      idempotent: true,
      execute: act('notify'),
    }),
  ]
  const assistant = new Agent({ name: 'assistant', model, tools })
  const own = assistant.asTool({ name: 'assistant', description: 'Makes the refunds.' })
  return new Agent({ id: 'clerk', name: 'clerk', version: said, model, tools: [...tools, own] })
}

/** The agent, in two versions of its code. All worlds share them: what they do depends on the process that runs them. */
export const CLERKS: Readonly<Record<string, Agent>> = { 1: makeClerk('1'), 2: makeClerk('2') }

/** A version that no worker has. */
export const UNSERVED = '3'
