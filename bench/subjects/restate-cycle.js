// @ts-check
import { threadNames } from '../lib/subject/names.js'
import { createRestate } from '../restate/peer.js'

/** Restate's approve cycle on a server of its own; `lanes` at once are one sample. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ lanes = 1 }) {
  const peer = await createRestate()
  const names = threadNames()
  return {
    prepare: (count) => Array.from({ length: count }, () => names(lanes)),
    run: (/** @type {string[]} */ ids) => Promise.all(ids.map((id) => peer.cycle(id))),
    close: () => peer.close(),
  }
}
