// @ts-check
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

/** One thing that is done with a paused thread by a view that has not seen it. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir, turns, what }) {
  const peer = createHoldpoint()
  const store = openStore(join(dir, `long-${turns}-${what}.db`))
  await peer.pause(turns, { store, threadId: 'paused' })
  const acts = {
    load: () => peer.loadLean(store, 'paused'),
    approve: () => peer.approveAndWithdraw(store, 'paused'),
    keyed: () => peer.refuseKeyed(store, randomUUID()),
    list: () => peer.list(store),
  }
  return { run: acts[/** @type {keyof typeof acts} */ (what)], close: () => store.close() }
}
