// A paused run as a signed string in a file, without a store. The string is a copy, so keep it where only one reader takes it up.
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, HoldpointError, type Model, RunState, run, tool } from 'holdpoint'
import { z } from 'zod'

const model: Model = {
  async respond({ messages }) {
    const last = messages.at(-1)
    if (last?.role === 'tool') return { content: `The result was: ${last.content}` }
    return { toolCalls: [{ name: 'send_mail', args: { to: 'ann@example.com', body: 'Your parcel is on its way.' } }] }
  },
}

const sendMail = tool({
  name: 'send_mail',
  description: 'Sends a mail to a customer.',
  parameters: z.object({ to: z.email(), body: z.string() }),
  needsApproval: true,
  execute: async ({ to }) => `sent to ${to}`,
})

const agent = new Agent({ name: 'clerk', model, tools: [sendMail] })

// The first key signs, all of them verify: put a new one in front to rotate. In production it comes from your vault.
const signingKeys = [{ id: '2026-01', secret: 'only for this example' }]
const file = 'state.json'

// Monday: the run pauses, and its state goes into a file.
const paused = await run(agent, 'Tell Ann that her parcel was sent.', { context: { customer: 'ann' } })
await writeFile(file, paused.state.toString({ signingKeys }))
console.log(`written: ${paused.interruptions.length} call waits in ${file}`)

// Tuesday, another process: it needs only the string and the agent's code.
const text = await readFile(file, 'utf8')
const state = await RunState.fromString(agent, text, { signingKeys })
for (const interruption of state.interruptions) await state.approve(interruption, { by: 'bob' })
const done = await run(agent, state)
console.log(`${done.status}: ${done.finalOutput}`)

// A string that somebody changed is refused.
try {
  await RunState.fromString(agent, text.replace('ann@example.com', 'eve@example.com'), { signingKeys })
} catch (error) {
  if (!HoldpointError.isInstance(error)) throw error
  console.log(`refused: ${error.code}`)
}
