// A shell for a model. Code allows harmless commands, people decide about the rest, and nobody can run some of them.
import { writeFileSync } from 'node:fs'
import { Agent, type OnApproval, run, type ShellAction, shellTool } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import { localShell } from './local-shell.ts'

writeFileSync('notes.txt', 'one\ntwo\n')
const shell = localShell({ root: '.', programs: ['cat', 'wc', 'rm', 'sleep'], timeoutMs: 500 })

// Reading is allowed, deleting everything is not. A person decides about the rest.
const onApproval: OnApproval = (_runContext, { args }) => {
  const { commands } = args as unknown as ShellAction
  if (commands.every((command) => /^(cat|wc) /.test(command))) return { approve: true }
  if (commands.some((command) => command.includes(' -r'))) return { approve: false, reason: 'Delete files one by one.' }
  return undefined
}

const commands = (id: string, ...list: string[]) => ({ id, name: 'shell', args: { commands: list } })
const model = scriptedModel([
  { toolCalls: [commands('read', 'cat notes.txt', 'wc -l notes.txt'), commands('all', 'rm -r .')] },
  {
    toolCalls: [commands('one', 'rm notes.txt'), commands('out', 'cat ../../etc/passwd'), commands('late', 'sleep 60')],
  },
  'The notes are gone.',
])
const agent = new Agent({ name: 'janitor', model, tools: [shellTool({ shell, onApproval })] })

let result = await run(agent, 'Read the notes, then delete them.')
while (result.status === 'interrupted') {
  for (const request of result.interruptions) {
    console.log(`asked: ${JSON.stringify(request.preview)}`)
    await result.state.approve(request, { by: 'ann' })
  }
  result = await run(agent, result.state)
}
for (const message of result.state.messages)
  if (message.role === 'tool') console.log(`${message.toolCallId}: ${String(message.content).replaceAll('\n', ' / ')}`)
console.log(result.finalOutput)
