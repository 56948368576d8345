// @ts-check
import { join } from 'node:path'
import { openRaw } from '../lib/sqlite/raw.js'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

/** A paused thread's entries, read and parsed and nothing else. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir, turns }) {
  const path = join(dir, 'read.db')
  const store = openStore(path)
  await createHoldpoint().pause(turns, { store, threadId: 'paused' })
  await store.close()
  const raw = openRaw(path)
  const select = raw.prepare(
    'SELECT seq, at, body FROM entries WHERE thread = (SELECT no FROM threads WHERE tenant = ? AND id = ?) ORDER BY seq',
  )
  return {
    run: () => select.all('default', 'paused').map((/** @type {{ body: string }} */ row) => JSON.parse(row.body)),
    close: () => raw.close(),
  }
}
