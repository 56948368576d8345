// @ts-check
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { built } from '../store/children/built.js'

// Keeps threads that wait, or a state, and prints how many bytes of the heap each takes: node --expose-gc idle.js thread|held <turns> <folder>
const { Agent, run, tool } = await built('index.js')
const { sqliteStore } = await built('sqlite.js')
const [what = '', given = '1', folder = ''] = process.argv.slice(2)
const turns = Number(given)
const store = sqliteStore({ path: join(folder, 'store.db'), durability: 'process' })

const look = tool({
  name: 'look',
  description: 'Looks an order up.',
  parameters: z.object({ n: z.number() }),
  /** @param {{ n: number }} args */
  execute: ({ n }) => `Order ${n} ${'was sent on the fifth. '.repeat(7)}`,
})
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'Paid.',
})

/** It looks so many things up, then wants to pay. A scripted model would keep what it was given. @type {import('../../src/ports.ts').Model} */
const model = {
  async respond({ messages }) {
    const n = Math.floor(messages.length / 2)
    return { toolCalls: [n < turns ? { id: `c${n}`, name: 'look', args: { n } } : { id: 'c', name: 'pay', args: {} }] }
  },
}
const agent = new Agent({ name: 'clerk', model, tools: [look, pay] })

/** @param {string} name */
async function live(name) {
  const thread = agent.thread(name, { store })
  const { status } = await thread.prompt('go', { maxTurns: null })
  if (status !== 'suspended') throw new Error(`suspended was expected, not ${status}`)
  return thread
}

/** @param {string} name @param {number} count */
async function make(name, count) {
  const all = []
  for (let n = 0; n < count; n++) {
    const id = `${name}-${n}`
    all.push(await (what === 'thread' ? live(id) : run(agent, 'go', { store, threadId: id, maxTurns: null })))
  }
  // Until they rest.
  await pause(1_500)
  return all
}

async function heap() {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.()
    await pause(5)
  }
  return process.memoryUsage().heapUsed
}

const count = what === 'held' ? 3 : turns > 1 ? 150 : 400
// The first ones also fill caches, which stay.
await make('warm', count)
const before = await heap()
const kept = await make('kept', count)
writeSync(1, String(((await heap()) - before) / kept.length))
await store.close()
