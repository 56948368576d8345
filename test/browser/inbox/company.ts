import { z } from 'zod'
import { Agent, definePolicy, type JsonObject, run, type Store, tool } from '../../../src/index.ts'
import type { Risk } from '../../../src/protocol/request.ts'
import { type ScriptStep, scriptedModel } from '../../../src/testing.ts'

/** What an agent wants to do. */
export interface Wish {
  tool: 'refund' | 'delete_rows' | 'drop_table' | 'deploy' | 'set_up' | 'close_count' | 'look_up'
  args: JsonObject
  risk?: Risk
  timeoutSeconds?: number
  reviewers?: string[]
  /** The name of the agent. Default `clerk`. */
  agent?: string
}

/** Facts that a deploy rests on. Tests change them. */
export interface Facts {
  running: string
}

const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  parameters: z.object({
    amount: z.number().int().positive().max(50_000),
    to: z.email(),
    note: z.string().max(280).optional(),
  }),
  needsApproval: true,
  display: {
    title: 'Refund {amount} to {to}',
    fields: { amount: { format: 'money', currency: 'EUR', unit: 'minor' }, to: 'email', note: 'text' },
  },
  preview: ({ amount }) => ({ balanceAfter: 100_000 - amount }),
  previewCheck: 'none',
  execute: () => 'refunded',
})

const deleteRows = tool({
  name: 'delete_rows',
  description: 'Deletes rows.',
  parameters: z.object({ rows: z.number().int(), table: z.string() }),
  needsApproval: true,
  risk: 'high',
  display: { title: 'Delete {rows} rows from {table}', fields: { rows: 'number', table: 'id' } },
  execute: () => 'deleted',
})

const dropTable = tool({
  name: 'drop_table',
  description: 'Drops a table.',
  parameters: z.object({ table: z.string() }),
  needsApproval: true,
  risk: 'high',
  display: { title: 'Drop table {table}', fields: { table: 'id' } },
  execute: () => 'dropped',
})

const deployTool = (facts: Facts) =>
  tool({
    name: 'deploy',
    description: 'Deploys a service.',
    parameters: z.object({ service: z.string() }),
    needsApproval: true,
    display: { title: 'Deploy {service}', fields: { service: 'id' } },
    preconditions: () => ({ running: facts.running }),
    execute: () => 'deployed',
  })

const setUp = tool({
  name: 'set_up',
  description: 'Asks how to set a shop up.',
  parameters: z.object({}),
  resumable: true,
  execute: async (_, ctx) => {
    const answers = await ctx.ask([
      {
        key: 'region',
        prompt: 'Where should the data live?',
        options: [
          { value: 'eu', label: 'Frankfurt' },
          { value: 'other', label: 'Somewhere else', allowInput: true },
        ],
      },
      {
        key: 'modules',
        prompt: 'Which modules?',
        multiSelect: true,
        required: false,
        options: [
          { value: 'orders', label: 'Orders' },
          { value: 'stock', label: 'Stock' },
        ],
      },
      { key: 'name', prompt: 'What is it called?' },
    ])
    return JSON.stringify(answers)
  },
})

const closeCount = tool({
  name: 'close_count',
  description: 'Closes a count.',
  parameters: z.object({ warehouse: z.number() }),
  resumable: true,
  execute: async ({ warehouse }, ctx) => ((await ctx.confirm(`Close count ${warehouse}?`)) ? 'closed' : 'still open'),
})

const lookUp = tool({
  name: 'look_up',
  description: 'Looks an order up.',
  parameters: z.object({ order: z.number() }),
  execute: ({ order }) => `order ${order} is paid`,
})

/** Calls that the policy lets through. */
const FREE: readonly string[] = ['set_up', 'close_count', 'look_up']

/** An agent that makes these calls at once. */
export function agentOf(wishes: readonly Wish[], facts: Facts = { running: '1.0' }): Agent {
  const toolCalls = wishes.map(({ tool: name, args }, at) => ({ id: `c${at}`, name, args }))
  const first: ScriptStep = { text: 'I think that this is right.', toolCalls }
  const policy = definePolicy(
    ({ toolCallId, toolName }) => {
      if (FREE.includes(toolName)) return { verdict: 'allow' }
      const { risk, timeoutSeconds, reviewers } = wishes[Number(toolCallId.slice(1))] ?? {}
      return {
        verdict: 'review',
        ...(risk ? { risk } : {}),
        ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
        ...(reviewers ? { reviewers } : {}),
      }
    },
    { name: 'wishes' },
  )
  return new Agent({
    name: wishes[0]?.agent ?? 'clerk',
    model: scriptedModel([first, 'Done.', 'Done.']),
    tools: [refund, deleteRows, dropTable, deployTool(facts), setUp, closeCount, lookUp],
    policy: [policy],
  })
}

/** Lets an agent ask, each wish in a thread of its own. Resolves to the ids of the requests. */
export async function wish(store: Store, ...wishes: Wish[]): Promise<string[]> {
  const ids: string[] = []
  for (const each of wishes) {
    const threadId = `thread-${crypto.randomUUID().slice(0, 8)}`
    const { interruptions } = await run(agentOf([each]), 'Please help me.', { store, threadId })
    for (const { id } of interruptions) ids.push(id)
  }
  return ids
}

/** A refund. Amounts are in cents. */
export const refundOf = (amount: number, to = 'ada@example.com', more: Partial<Wish> = {}): Wish => ({
  tool: 'refund',
  args: { amount, to },
  risk: 'low',
  ...more,
})

/** What the store says of a request. */
export async function storedOf(store: Store, id: string): Promise<{ status: string; decision?: string; by?: string }> {
  const found = await store.getRequest(id)
  if (!found) throw new Error(`there is no request ${id}`)
  const changed =
    found.changed && (JSON.parse(found.changed.body) as { decision?: { type: string }; by?: { id: string } })
  return {
    status: found.status,
    ...(changed?.decision ? { decision: changed.decision.type } : {}),
    ...(changed?.by ? { by: changed.by.id } : {}),
  }
}
