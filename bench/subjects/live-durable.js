// @ts-check
import { join } from 'node:path'
import { loadHoldpoint } from '../lib/subject/dist.js'
import { openStore } from '../peers/holdpoint.js'

const { CheckpointedChannel } = await loadHoldpoint()

/** A confirm on a durable channel: stored → asked → answered → stored → the asker goes on. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir }) {
  const store = openStore(join(dir, 'live.db'))
  const channel = new CheckpointedChannel({ store, threadId: 'live' })
  channel.subscribe((/** @type {{ questionId: string }} */ { questionId }) => channel.answer(questionId, true))
  return { run: () => channel.confirm('Sure?'), close: () => store.close() }
}
