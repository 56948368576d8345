// @ts-check
import { threadNames } from '../lib/subject/names.js'
import { createDbos } from '../peers/dbos.js'

/** DBOS' approve cycle in a database of its own; `lanes` at once are one sample. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ url = '', lanes = 1 }) {
  const peer = await createDbos(url.replace(/\/\w+$/, `/dbos_${process.pid}`))
  const names = threadNames()
  return {
    prepare: (count) => Array.from({ length: count }, () => names(lanes)),
    run: (/** @type {string[]} */ ids) => Promise.all(ids.map((id) => peer.cycle(id))),
    close: () => peer.close(),
  }
}
