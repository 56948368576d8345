import { Agent, Runner, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { z } from 'zod'
import { createGate, type Gate, hostPolicy } from '../../../src/gate.ts'
import type { Store } from '../../../src/index.ts'

/** The person who decides in these tests. */
export const ann = { kind: 'person', id: 'ann' } as const

/** A gate that holds what the tools themselves hold. */
export function gateOn(store: Store): Gate {
  return createGate({ store, policy: hostPolicy, source: 'openai-agents' })
}

/** A runner that sends no traces anywhere. */
export const runner = new Runner({ tracingDisabled: true })

/** A desk with a refund that needs approval from 1000 cents on, a free look-up, and what ran. */
export function refundDesk(steps: ConstructorParameters<typeof ScriptedModel>[0]) {
  const ran: string[] = []
  const refund = tool({
    name: 'refund',
    description: 'Pays an order back.',
    parameters: z.object({ order: z.string(), cents: z.number() }),
    needsApproval: async (_context, { cents }) => cents >= 1000,
    execute: async ({ order, cents }) => {
      ran.push(`${order} ${cents}`)
      return `${cents} cents paid back for ${order}`
    },
  })
  const lookUp = tool({
    name: 'look_up',
    description: 'Finds an order.',
    parameters: z.object({ order: z.string() }),
    execute: async ({ order }) => {
      ran.push(`look_up ${order}`)
      return `${order}: lost`
    },
  })
  const model = new ScriptedModel(steps)
  const agent = new Agent({ name: 'Desk', instructions: 'Pay back.', model, tools: [refund, lookUp] })
  return { agent, model, ran, refund, lookUp }
}

/** A tool without arguments that needs approval. `error`: what becomes of an error that it throws. */
export function payTool(execute: () => Promise<string>, error: { errorFunction?: null } = {}) {
  const described = { name: 'pay', description: 'Pays.', parameters: z.object({}) }
  return tool({ ...described, needsApproval: true, ...error, execute })
}

/** A call of `refund` by the model. */
export function refunding(callId: string, order: string, cents: number) {
  return functionCall('refund', { order, cents }, { callId })
}

/** The end of a run. */
export const done = [assistantMessage('Done.')]

/** The results that the model got, by call. */
export function outputs(model: ReturnType<typeof refundDesk>['model']): Record<string, unknown> {
  const items = model.lastCall?.request.input as { type?: string; callId: string; output: unknown }[]
  return Object.fromEntries(
    items
      .filter(({ type }) => type === 'function_call_result')
      .map(({ callId, output }) => [callId, (output as { text?: string }).text ?? output]),
  )
}
