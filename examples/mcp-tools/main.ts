// The tools of an MCP server. We let reading run freely; ordering needs a person.
import { join } from 'node:path'
import { Agent, humanInTheLoop, run } from 'holdpoint'
import { mcpServer } from 'holdpoint/mcp'
import { scriptedModel } from 'holdpoint/testing'

const program = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'server.ts' : 'server.js')
const shop = mcpServer({
  name: 'shop',
  command: process.execPath,
  args: [...process.execArgv, program], // as this process was started
  requireApproval: { never: ['stock'] }, // all others need approval
  timeoutSeconds: 10,
})
const tools = await shop.tools()
for (const { name, risk, needsApproval } of tools)
  console.log(`${name}: ${risk} risk, ${needsApproval ? 'asked' : 'free'}`)

const model = scriptedModel([
  { toolCalls: [{ id: 'look', name: 'shop__stock', args: { article: 'chair' } }] },
  { toolCalls: [{ id: 'buy', name: 'shop__order', args: { article: 'chair', count: 40 } }] },
  ({ messages }) => `Done: ${messages.at(-1)?.content}`,
])
const agent = new Agent({
  name: 'buyer',
  model,
  tools,
  // Policies may name a server's tools as namespace.tool.
  policy: humanInTheLoop({ interruptOn: { 'shop.order': { reviewers: ['ann'] } } }),
})
const paused = await run(agent, 'We need chairs.')
for (const request of paused.interruptions) {
  console.log(`asked: ${request.toolName} ${JSON.stringify(request.args)}`)
  await paused.state.edit(request, { args: { article: 'chair', count: 4 }, by: 'ann' })
}
console.log((await run(agent, paused.state)).finalOutput)
await shop.close()
