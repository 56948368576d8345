// @ts-check
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHoldpoint, createOrders, openStore } from '../../peers/holdpoint.js'
import { INPUT, lookUp, refund } from '../subject/scenario.js'
import { collectedMemory } from './collected-memory.js'

// Keeps many of one kind in memory, and prints how many bytes each takes: node --expose-gc keeper-process.js state|thread|held <turns> <folder>
const [what = '', turns = '1', dir = ''] = process.argv.slice(2)

const store = openStore(join(dir, 'kept.db'))
const peer = createHoldpoint()
let asked = 0
const agent = createOrders(() => (asked++ < Number(turns) ? lookUp(asked) : refund(0)))

/** @type {Record<string, { count: number, make(name: string): Promise<unknown> }>} */
const kinds = {
  state: { count: 10_000, make: () => peer.loadLean(store, 'paused') },
  thread: { count: 1000, make: idleThread },
  held: { count: 5, make: (name) => peer.pause(Number(turns), { store, threadId: name }) },
}

/** A thread that was driven until it waits. @param {string} name */
async function idleThread(name) {
  asked = 0
  const thread = agent.thread(name, { store })
  const { status } = await thread.prompt(INPUT, { maxTurns: null })
  if (status !== 'suspended') throw new Error(`holdpoint: suspended was expected, not ${status}`)
  return thread
}

const kind = kinds[what]
if (!kind) throw new Error(`nothing is called ${what}`)
await peer.pause(Number(turns), { store, threadId: 'paused' })
// The first ones also fill caches of the engine and the store, which stay.
for (let i = 0; i < Math.min(kind.count, 1500); i++) await kind.make(`warm-${i}`)
// A thread rests when nobody has called it for a second.
if (what === 'thread') await sleep(1500)
const before = await collectedMemory()
const all = []
for (let i = 0; i < kind.count; i++) all.push(await kind.make(`kept-${i}`))
if (what === 'thread') await sleep(1500)
const after = await collectedMemory()
console.log((after.heap - before.heap) / all.length)
await store.close()
