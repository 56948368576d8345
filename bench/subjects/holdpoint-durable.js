// @ts-check
import { join } from 'node:path'
import { copyThread, openRaw } from '../lib/sqlite/raw.js'
import { threadNames } from '../lib/subject/names.js'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

/** The whole durable cycle, each time on a new copy of a thread with a history. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir, turns, durability = 'process' }) {
  const peer = createHoldpoint()
  const path = join(dir, 'holdpoint.db')
  const store = openStore(path, { durability })
  await peer.build(store, 'template', turns)
  const raw = openRaw(path)
  const names = threadNames()
  return {
    prepare(count) {
      const threads = names(count)
      copyThread(raw, 'template', threads)
      return threads
    },
    run: (thread) => peer.durableCycle(store, thread),
    async close() {
      raw.close()
      await store.close()
    },
  }
}
