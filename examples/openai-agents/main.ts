// An agent of the OpenAI Agents SDK, kept as it is: its refunds stop at a gate, people decide, and each runs once, also if its state is restored twice.
import { Agent, Runner, RunState, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { memoryStore, openDesk } from 'holdpoint'
import { createGate, hostPolicy } from 'holdpoint/gate'
import { openaiGate } from 'holdpoint/openai-agents'
import { z } from 'zod'

// The agent that you have. A script stands in for its model.
let paid = 0
const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.string(), cents: z.number() }),
  needsApproval: async (_context, { cents }) => cents >= 1000,
  execute: async ({ order, cents }) => {
    paid += cents
    return `${cents} cents paid back for ${order}`
  },
})
const model = new ScriptedModel([
  [
    functionCall('refund', { order: 'A-1', cents: 500 }, { callId: 'c1' }),
    functionCall('refund', { order: 'A-2', cents: 199_900 }, { callId: 'c2' }),
    functionCall('refund', { order: 'A-3', cents: 3000 }, { callId: 'c3' }),
  ],
  [assistantMessage('Both are settled.')],
  [assistantMessage('Both are settled.')],
])
const agent = new Agent({ name: 'Desk', instructions: 'Pay back what was lost.', model, tools: [refund] })
const runner = new Runner({ tracingDisabled: true })

// Use sqliteStore or postgresStore, so that requests and paused runs survive the process.
const store = memoryStore()
const gate = createGate({ store, policy: hostPolicy, source: 'openai-agents' })

// 1. The small refund runs, the others are interruptions. The state of the run is kept in the store.
const paused = await openaiGate(gate, { threadId: 'chat-7', runner }).run(agent, 'Pay all three back.')
console.log(`paused: ${paused.interruptions.length} calls, ${paid} cents paid`)
const text = paused.state.toString()

// 2. People decide, here at a desk: in the inbox, over HTTP and on the command line they are the same requests.
const desk = openDesk({ store })
for (const request of (await desk.list({ status: 'open' })).requests) {
  const isTypo = request.args?.order === 'A-2'
  if (isTypo) await desk.decide({ request, decision: { type: 'edit', args: { order: 'A-2', cents: 1999 } }, by: 'ann' })
  else await desk.decide({ request, decision: { type: 'reject', message: 'A-3 has arrived.' }, by: 'ann' })
}

// 3. Any process continues the run.
const result = await openaiGate(gate, { threadId: 'chat-7', runner }).resume(agent)
console.log(result?.finalOutput, `${paid} cents paid`)

// 4. The old state, restored and approved by whoever holds it: no money moves again.
const again = openaiGate(gate, { threadId: 'chat-7', runner }).agent(agent)
const state = await RunState.fromString(again, text)
for (const item of state.getInterruptions()) state.approve(item)
await runner.run(again, state)
console.log(`restored: ${paid} cents paid`)
