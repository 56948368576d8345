// @ts-check
import { join } from 'node:path'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

/** A fresh view of a paused thread. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir, turns, verify = 'chain' }) {
  const peer = createHoldpoint()
  const store = openStore(join(dir, `load-${verify}.db`), { verify })
  await peer.pause(turns, { store, threadId: 'paused' })
  return { run: () => peer.load(store, 'paused'), close: () => store.close() }
}
