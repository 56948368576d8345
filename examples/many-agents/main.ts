// Triage hands over to billing, which calls the cashier as a tool. The cashier's refund surfaces at the root, and one approval finishes the run.
import { Agent, type Model, RunState, run, tool } from 'holdpoint'
import { z } from 'zod'

/** Stands in for a language model: calls one tool, then reports its result. */
function calling(name: string, args: { [key: string]: string | number }): Model {
  return {
    async respond({ messages }) {
      const last = messages.at(-1)
      if (last?.role === 'tool' && last.toolName === name) return { content: `${last.content}` }
      return { toolCalls: [{ id: `call-${name}`, name, args }] }
    },
  }
}

const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  parameters: z.object({ orderId: z.number(), cents: z.number() }),
  needsApproval: true,
  execute: ({ orderId, cents }) => `Order ${orderId}: ${cents} cents are on their way.`,
})

/** Each process builds the agents again. Only their names are stored. */
function build(): Agent {
  const cashier = new Agent({
    name: 'Cashier',
    model: calling('refund', { orderId: 42, cents: 1999 }),
    tools: [refund],
  })
  const billing = new Agent({
    name: 'Billing',
    handoffDescription: 'Knows invoices.',
    model: calling('cashier', { input: 'Refund order 42.' }),
    tools: [cashier.asTool({ name: 'cashier', description: 'Moves money.' })],
  })
  return new Agent({ name: 'Triage', model: calling('transfer_to_Billing', {}), handoffs: [billing] })
}

const paused = await run(build(), 'My order 42 came broken.')
for (const { path, toolName, args } of paused.interruptions)
  console.log(`${path.join(' > ')} wants to run ${toolName} ${JSON.stringify(args)}`)

// From here on it could be another process: the string has everything but the code.
const agent = build()
const state = await RunState.fromString(agent, paused.state.toString())
for (const interruption of state.interruptions) await state.approve(interruption)
const done = await run(agent, state)
console.log(`${state.currentAgent}: ${done.finalOutput}`)
