// An agent with a language model of the AI SDK. The provider is busy, then fails after the approved tool ran. The tool still runs only once.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, RunState, run, tool } from 'holdpoint'
import { aiSdkModel } from 'holdpoint/ai-sdk'
import { sqliteStore } from 'holdpoint/sqlite'
import { z } from 'zod'
import { startServer } from './server.ts'

const server = await startServer()
const provider = createOpenAICompatible({ name: 'local', baseURL: server.url, includeUsage: true })

const model = aiSdkModel(provider('small'), {
  temperature: 0,
  retries: 2,
  retryDelaySeconds: 0.01,
  onRetry: ({ error }) => console.log(`asking again: ${error instanceof Error ? error.message : error}`),
})

const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  parameters: z.object({ cents: z.number().int().positive() }),
  needsApproval: true,
  execute: async ({ cents }) => {
    console.log(`paying ${cents} cents`)
    return `${cents} cents were paid back.`
  },
})

const agent = new Agent({ name: 'support', instructions: 'Be kind.', model, tools: [refund] })
const store = sqliteStore({ path: '.holdpoint/ai-sdk-model.db' })
const threadId = 'order-42'

const paused = await run(agent, 'My lamp came broken.', { store, threadId })
for (const request of paused.interruptions) {
  console.log(`waiting: ${request.toolName} ${JSON.stringify(request.args)}`)
  await paused.state.approve(request, { by: 'ann' })
}

server.state.down = true
const failed = await run(agent, paused.state)
console.log(`${failed.status}: ${failed.error?.message}`)

server.state.down = false
const done = await run(agent, await RunState.load(agent, { store, threadId }))
console.log(`${done.status}: ${done.finalOutput}`)
console.log(`${done.usage.totalTokens} tokens in ${done.usage.requests} answers, ${server.state.requests} requests`)

await store.close()
server.close()
