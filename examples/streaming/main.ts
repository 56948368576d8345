// A run that is read as a stream: its text as it arrives, a pause in the middle, and a reader who leaves early.
import { Agent, memorySession, run, tool } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import { z } from 'zod'

// With `stream: true` this model answers word by word, as real ones do.
const model = scriptedModel(
  [
    { text: 'I pay it back.', toolCalls: [{ id: 'c1', name: 'refund', args: { cents: 1999 } }] },
    'The money is on its way.',
    'You are very welcome, Ann.',
    'Good bye, Ann.',
  ],
  { stream: true },
)

const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ cents: z.number() }),
  needsApproval: true,
  execute: ({ cents }) => `${cents} cents were paid back`,
})

const agent = new Agent({ name: 'clerk', model, tools: [refund] })
// Remembers the conversation across runs.
const session = memorySession()

// Everything that happens, up to the pause.
const stream = await run(agent, 'I am Ann. Please refund my order.', { stream: true, session })
for await (const event of stream) {
  switch (event.type) {
    case 'model_part':
      if (event.part.type === 'tool-call') console.log(`call: ${event.part.call.name}`)
      if (event.part.type === 'text') console.log(`word: ${event.part.text.trim()}`)
      break
    case 'hitl_request':
      console.log(`asked: ${event.request.toolName} ${JSON.stringify(event.request.args)}`)
      break
    default:
      break
  }
}
console.log(`${stream.status}: ${stream.interruptions.length} call waits`)

// A person decides, and the run goes on. `toTextStream()` has the model's text alone, for an HTTP response for example.
await stream.state.approve('c1', { by: 'bob' })
const resumed = await run(agent, stream.state, { stream: true, session })
let text = ''
for await (const piece of resumed.toTextStream()) text += `[${piece}]`
console.log(`${resumed.status}: ${text}`)

// Leaving early stops the run. Nothing of the unfinished answer is stored, and running the state again asks the model again.
const left = await run(agent, 'Thank you!', { stream: true, session })
for await (const event of left) if (event.type === 'model_part') break
console.log(`${left.status}, ${left.cancelled ? 'cancelled' : 'not cancelled'}`)
const done = await run(agent, left.state, { session })
console.log(`${done.status}: ${done.finalOutput}`)

console.log(`${(await session.getItems()).length} messages are remembered`)
