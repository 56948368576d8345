// One model turn with four calls: one runs at once, three wait and are decided together.
import { Agent, EditInvalid, type Model, run, tool } from 'holdpoint'
import { z } from 'zod'

const model: Model = {
  async respond({ messages }) {
    const results = messages.filter((message) => message.role === 'tool')
    if (results.length > 0) return { content: results.map(({ content }) => content).join('\n') }
    return {
      toolCalls: [
        { id: 'look', name: 'find_order', args: { orderId: '42' } },
        { id: 'pay', name: 'refund', args: { cents: 199_900 } },
        { id: 'mail', name: 'send_mail', args: { body: 'We are sorry.' } },
        { id: 'close', name: 'close_account', args: {} },
      ],
    }
  },
}

const findOrder = tool({
  name: 'find_order',
  description: 'Looks an order up.',
  parameters: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => `Order ${orderId}: one lamp, 19.99.`,
})
const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  parameters: z.object({ cents: z.number().int().positive() }),
  needsApproval: true,
  execute: ({ cents }, { approvedBy }) => `${cents} cents paid back, approved by ${approvedBy?.id}.`,
})
const sendMail = tool({
  name: 'send_mail',
  description: 'Writes to the customer.',
  parameters: z.object({ body: z.string() }),
  needsApproval: true,
  execute: () => 'Mail sent.',
})
const closeAccount = tool({
  name: 'close_account',
  description: "Closes the customer's account.",
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'Account closed.',
})

const agent = new Agent({ name: 'support', model, tools: [findOrder, refund, sendMail, closeAccount] })

const paused = await run(agent, 'Order 42 came broken.')
for (const { toolName, args, allowedDecisions } of paused.interruptions)
  console.log(`waiting: ${toolName} ${JSON.stringify(args)} (${allowedDecisions.join(', ')})`)

// An edit is checked before it is stored. This one does not match the tool's schema, and the request stays open.
try {
  await paused.state.edit('pay', { args: { cents: -1 } })
} catch (error) {
  if (!(error instanceof EditInvalid)) throw error
  console.log(`refused: ${error.code}, ${paused.state.interruptions.length} still wait`)
}

// One decision per interruption, in order. All are stored, or none.
await paused.state.decide({
  by: 'ann',
  decisions: [
    { type: 'edit', args: { cents: 1_999 } },
    { type: 'approve' },
    { type: 'reject', message: 'Never close an account for this.' },
  ],
})
const done = await run(agent, paused.state)
console.log(done.finalOutput)
