import { appendFileSync } from 'node:fs'
import { Command } from '@langchain/langgraph'
import { createGate, hostPolicy } from 'holdpoint/gate'
import { holdpointMiddleware } from 'holdpoint/langchain'
import { AIMessage, createAgent, fakeModel, tool } from 'langchain'
import { z } from 'zod'
import { sleepUntil } from '../../support/sleep-until.js'
import { storeAt } from '../../support/stores/stored-at.js'
import { FileSaver } from './file-saver.js'

/**
 * An agent in a process of its own, which is woken after people have decided, and writes down what ran and what it got.
 *
 * @typedef {object} Work
 * @property {string} path the store's address
 * @property {string} log
 * @property {string} checkpoints
 * @property {boolean} [killed] it is killed in the tool, after the effect
 * @property {number} [startAt] when it begins, in milliseconds since 1970
 */

const { path, log, checkpoints, killed, startAt = 0 } = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
const store = storeAt(path, { durability: 'process' })

/** @param {object} line */
const record = (line) => appendFileSync(log, `${JSON.stringify(line)}\n`)

const refund = tool(
  async ({ order, cents }) => {
    record({ ran: order })
    if (killed) process.kill(process.pid, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 20))
    return `${cents} cents paid back for ${order}`
  },
  { name: 'refund', description: 'Pays back.', schema: z.object({ order: z.string(), cents: z.number() }) },
)
const gate = createGate({ store, policy: hostPolicy, source: 'langchain' })
const agent = createAgent({
  model: fakeModel().respond(new AIMessage('Done.')),
  tools: [refund],
  middleware: [holdpointMiddleware({ gate, interruptOn: { refund: true } })],
  checkpointer: new FileSaver(checkpoints),
})

await sleepUntil(startAt)
const chat = { configurable: { thread_id: 'chat' } }
const { messages } = await agent.invoke(new Command({ resume: { holdpoint: true } }), chat)
record({ got: messages.flatMap((message) => (message.getType() === 'tool' ? [message.content] : [])) })
await store.close()
