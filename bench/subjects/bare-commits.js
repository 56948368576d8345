// @ts-check
import { join } from 'node:path'
import { createBare } from '../lib/sqlite/bare.js'
import { checkpoint, copyThread, openRaw } from '../lib/sqlite/raw.js'
import { recordAppends } from '../lib/sqlite/record.js'
import { threadNames } from '../lib/subject/names.js'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

/** The commits of the durable cycle and nothing else: recorded from a real one, then replayed on copies of the same thread. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir, turns, durability = 'process' }) {
  const peer = createHoldpoint()
  const path = join(dir, 'bare.db')
  const store = openStore(path, { durability })
  await peer.build(store, 'template', turns)
  const copies = openRaw(path)
  copyThread(copies, 'template', ['recorded'])
  const { store: recorded, appends } = recordAppends(store)
  await peer.durableCycle(recorded, 'recorded')
  await store.close()
  checkpoint(copies)

  const db = openRaw(path, durability)
  const bare = createBare(db, appends)
  const names = threadNames()
  return {
    prepare(count) {
      const threads = names(count)
      copyThread(copies, 'template', threads)
      return threads.map((thread) => bare.prepare(thread))
    },
    run: (transactions) => bare.run(transactions),
    close() {
      db.close()
      copies.close()
    },
  }
}
