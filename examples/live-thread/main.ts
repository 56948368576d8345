// A conversation in memory. The run waits on a channel, and code in this process answers.
import { Agent, InMemoryChannel, tool } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import { z } from 'zod'

const model = scriptedModel([
  { toolCalls: [{ id: 'c1', name: 'delete_file', args: { path: 'old.log' } }] },
  'I deleted old.log.',
  { toolCalls: [{ id: 'c2', name: 'delete_file', args: { path: 'taxes.pdf' } }] },
  'Then I leave taxes.pdf alone.',
])

const deleteFile = tool({
  name: 'delete_file',
  description: 'Deletes a file.',
  parameters: z.object({ path: z.string() }),
  needsApproval: true,
  execute: ({ path }) => `${path} is deleted`,
})

const agent = new Agent({ name: 'janitor', model, tools: [deleteFile] })
const channel = new InMemoryChannel({ defaultTimeoutSeconds: 60 })
const thread = agent.thread('cleaning', { channel })

// Every event, in order. A user interface would draw these.
thread.subscribe((event) => {
  switch (event.type) {
    case 'hitl_request':
      return console.log(`${event.seq} asked: ${event.request.toolName} ${JSON.stringify(event.request.args)}`)
    case 'hitl_answer':
      return console.log(`${event.seq} answered: ${JSON.stringify(event.answer)}`)
    case 'tool_end':
      return console.log(`${event.seq} result: ${event.result.content}`)
    default:
      return console.log(`${event.seq} ${event.type}`)
  }
})

// Answers the questions: a rule here, a person in a real application. Questions come one at a time.
channel.subscribe(async ({ questionId, args }) => {
  const keep = String(args?.path).endsWith('.pdf')
  await channel.answer(questionId, keep ? { type: 'reject', message: 'Never delete a PDF.' } : { type: 'approve' })
})

for (const input of ['Delete old.log.', 'Delete taxes.pdf.']) {
  const result = await thread.prompt(input)
  if (result.status !== 'completed') throw new Error(result.status)
  console.log(`> ${result.finalOutput}`)
}
