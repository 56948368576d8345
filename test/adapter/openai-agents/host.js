import { appendFileSync } from 'node:fs'
import { Agent, Runner, tool } from '@openai/agents'
import { assistantMessage, ScriptedModel } from '@openai/agents/testing'
import { createGate, hostPolicy } from 'holdpoint/gate'
import { openaiGate } from 'holdpoint/openai-agents'
import { z } from 'zod'
import { sleepUntil } from '../../support/sleep-until.js'
import { storeAt } from '../../support/stores/stored-at.js'

/**
 * An agent in a process of its own, which resumes its paused run, and writes down what ran and what its model got.
 *
 * @typedef {object} Work
 * @property {string} path the store's address
 * @property {string} log
 * @property {boolean} [killed] it is killed in the tool, after the effect
 * @property {number} [startAt] when it begins, in milliseconds since 1970
 */

const { path, log, killed, startAt = 0 } = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
const store = storeAt(path, { durability: 'process' })

/** @param {object} line */
const record = (line) => appendFileSync(log, `${JSON.stringify(line)}\n`)

const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.string(), cents: z.number() }),
  needsApproval: true,
  execute: async ({ order, cents }) => {
    record({ ran: order })
    if (killed) process.kill(process.pid, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 20))
    return `${cents} cents paid back for ${order}`
  },
})
const agent = new Agent({
  name: 'Desk',
  instructions: 'Pay back.',
  model: new ScriptedModel([[assistantMessage('Done.')]]),
  tools: [refund],
})
const gate = createGate({ store, policy: hostPolicy, source: 'openai-agents' })
const desk = openaiGate(gate, { threadId: 'chat', runner: new Runner({ tracingDisabled: true }) })

await sleepUntil(startAt)
const result = await desk.resume(agent)
const items = /** @type {{ type?: string, output?: unknown }[]} */ (result?.history ?? [])
record({ got: items.flatMap(({ type, output }) => (type === 'function_call_result' ? [output] : [])) })
await store.close()
