// A model changes files. A person sees the diff of each change before it is written, and corrects one.
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, applyPatchTool, run } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import { folderEditor } from './folder-editor.ts'

const patch = (id: string, operation: { type: string; path: string; diff?: string }) => ({
  id,
  name: 'apply_patch',
  args: { operation },
})
const model = scriptedModel([
  { toolCalls: [patch('new', { type: 'create_file', path: 'docs/greeting.txt', diff: '+Hello\n+world\n' })] },
  {
    toolCalls: [
      patch('change', { type: 'update_file', path: 'docs/greeting.txt', diff: ' Hello\n-world\n+wrold\n' }),
      patch('escape', { type: 'create_file', path: '../outside.txt', diff: '+x\n' }),
    ],
  },
  'Done.',
])
const agent = new Agent({
  name: 'writer',
  model,
  tools: [
    applyPatchTool({
      editor: folderEditor('.'),
      // New files need no approval; changes do.
      needsApproval: (_runContext, { type }) => type !== 'create_file',
    }),
  ],
})

let result = await run(agent, 'Write a greeting.')
for (const request of result.interruptions) {
  console.log(request.preview)
  const operation = { type: 'update_file', path: 'docs/greeting.txt', diff: ' Hello\n-world\n+everybody\n' }
  await result.state.edit(request, { args: { operation }, by: 'ann' })
}
result = await run(agent, result.state)
for (const message of result.state.messages)
  if (message.role === 'tool') console.log(`${message.toolCallId}: ${message.content}`)
console.log(readdirSync('.').join(), JSON.stringify(readFileSync('docs/greeting.txt', 'utf8')))
