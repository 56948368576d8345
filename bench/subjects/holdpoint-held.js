// @ts-check
import { join } from 'node:path'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

/** The durable cycle of a run whose state this process keeps. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir, turns, durability = 'process' }) {
  const peer = createHoldpoint()
  const store = openStore(join(dir, 'held.db'), { durability })
  const paused = await peer.pause(turns, { store, threadId: 'held' })
  return { run: () => peer.heldCycle(paused), close: () => store.close() }
}
