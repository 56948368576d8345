// @ts-check
import { inFlight } from '../lib/subject/in-flight.js'
import { threadNames } from '../lib/subject/names.js'
import { createDbos } from '../peers/dbos.js'

/** DBOS' approve cycle in a database of its own; a sample is `each` of them for each of `lanes`, which are under way at once. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ url = '', lanes = 1, each = 1 }) {
  const peer = await createDbos(url.replace(/\/\w+$/, `/dbos_${process.pid}`))
  const names = threadNames()
  return {
    prepare: (count) => Array.from({ length: count }, () => names(lanes * each)),
    run: (/** @type {string[]} */ ids) => inFlight(ids, lanes, (id) => peer.cycle(id)),
    close: () => peer.close(),
  }
}
