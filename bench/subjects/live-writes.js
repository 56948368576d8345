// @ts-check
import { join } from 'node:path'
import { loadHoldpoint } from '../lib/subject/dist.js'
import { openStore } from '../peers/holdpoint.js'

const { CheckpointedChannel } = await loadHoldpoint()

/** The two appends that a durable confirm makes, recorded from a real one and made again with ids of their own, and nothing else. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir }) {
  const store = openStore(join(dir, 'writes.db'))
  /** @type {any[]} */
  const appends = []
  const recording = {
    ...store,
    append(/** @type {any} */ append) {
      appends.push(append)
      return store.append(append)
    },
  }
  const channel = new CheckpointedChannel({ store: recording, threadId: 'live' })
  channel.subscribe((/** @type {{ questionId: string }} */ { questionId }) => channel.answer(questionId, true))
  await channel.confirm('Sure?')
  const { id } = JSON.parse(appends[0].entries[0])
  let count = 0
  return {
    prepare: (samples) =>
      Array.from({ length: samples }, () => {
        count += 1
        const next = `${id.slice(0, -8)}${count.toString(16).padStart(8, '0')}`
        return appends.map((append) => JSON.parse(JSON.stringify(append).replaceAll(id, next)))
      }),
    async run(/** @type {any[]} */ [open, answer]) {
      await store.append(open)
      await store.append(answer)
    },
    close: () => store.close(),
  }
}
