// @ts-check

import { createCopies } from '../lib/subject/copies.js'
import { loadHoldpoint } from '../lib/subject/dist.js'
import { inFlight } from '../lib/subject/in-flight.js'
import { threadNames } from '../lib/subject/names.js'
import { createHoldpoint } from '../peers/holdpoint.js'

const { postgresStore } = await loadHoldpoint()

/** The whole durable cycle on Postgres, each time on a new copy of a thread with a history; a sample is `each` of them for each of `lanes`, which are under way at once. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ url = '', turns, lanes = 1, each = 1 }) {
  // Each has a model of its own, which plays one conversation at a time.
  const peers = Array.from({ length: lanes }, () => createHoldpoint())
  const store = postgresStore({ connectionString: url, onWarning() {} })
  const copy = await createCopies(store, turns)
  const names = threadNames()
  return {
    async prepare(count) {
      const samples = Array.from({ length: count }, () => names(lanes * each))
      for (const ids of samples) await Promise.all(ids.map(copy))
      return samples
    },
    run: (/** @type {string[]} */ ids) =>
      inFlight(ids, lanes, async (id, lane) => peers[lane]?.durableCycle(store, id)),
    close: () => store.close(),
  }
}
