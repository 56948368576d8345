// Rules by tool name: one tool accepts every decision, one only approve and reject, one runs freely.
import { Agent, definePolicy, HoldpointError, humanInTheLoop, type Model, run, toActionRequests, tool } from 'holdpoint'
import { z } from 'zod'

const model: Model = {
  async respond({ messages }) {
    const results = messages.filter((message) => message.role === 'tool')
    if (results.length > 0) return { content: results.map(({ content }) => content).join('\n') }
    return {
      toolCalls: [
        { id: 'look', name: 'read_data', args: { table: 'records' } },
        { id: 'save', name: 'write_file', args: { path: 'backup.csv', text: 'id,created_at' } },
        { id: 'clean', name: 'execute_sql', args: { query: 'DELETE FROM records' } },
        { id: 'drop', name: 'execute_sql', args: { query: 'DROP TABLE records' } },
      ],
    }
  },
}

const readData = tool({
  name: 'read_data',
  description: 'Reads a table.',
  parameters: z.object({ table: z.string() }),
  execute: ({ table }) => `${table}: 3 rows.`,
})
const writeFile = tool({
  name: 'write_file',
  description: 'Writes a file.',
  parameters: z.object({ path: z.string(), text: z.string() }),
  execute: ({ path }) => `${path} is written.`,
})
const executeSql = tool({
  name: 'execute_sql',
  description: 'Runs a statement.',
  parameters: z.object({ query: z.string() }),
  execute: ({ query }) => `Done: ${query}`,
})
const tools = [readData, writeFile, executeSql]

const rules = humanInTheLoop({
  interruptOn: {
    write_file: true, // approve, edit, reject, respond
    execute_sql: { allowedDecisions: ['approve', 'reject'] },
    read_data: false,
  },
  descriptionPrefix: 'Tool execution pending approval',
})
// A second policy, as code. The most restrictive verdict wins.
const noDrop = definePolicy(
  ({ args }) =>
    /\bdrop\b/i.test(String(args.query)) ? { verdict: 'deny', reason: 'DROP is never allowed.' } : { verdict: 'allow' },
  { name: 'no-drop' },
)
const agent = new Agent({ name: 'janitor', model, tools, policy: [rules, noDrop] })

// A misspelt tool is an error when the agent is built, not an open gate.
try {
  new Agent({ name: 'typo', model, tools, policy: humanInTheLoop({ interruptOn: { execute_sqll: true } }) })
} catch (error) {
  if (!(HoldpointError.isInstance(error) && error.code === 'policy_invalid')) throw error
  console.log(`refused: ${error.code}`)
}

const paused = await run(agent, 'Delete old records from the database.')
const { action_requests, review_configs } = toActionRequests(paused.interruptions)
for (const [index, { description }] of action_requests.entries())
  console.log(`${description}\n  accepts ${review_configs[index]?.allowed_decisions.join(', ')}`)

// One decision for each action request, in their order.
await paused.state.decide({
  by: 'ann',
  decisions: [
    { type: 'edit', args: { path: 'backups/records.csv', text: 'id,created_at' } },
    { type: 'reject', message: 'Only records older than 30 days.' },
  ],
})
console.log((await run(agent, paused.state)).finalOutput)
