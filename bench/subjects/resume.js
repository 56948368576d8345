// @ts-check

import { startPair } from '../lib/processes/resume-pair.js'
import { threadNames } from '../lib/subject/names.js'

/** A decision here, the rest in a worker of another process; `lanes` at once are one sample. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ pair: spec, lanes = 1 }) {
  if (!spec) throw new Error('resume: no pair was named')
  const pair = await startPair(spec)
  const names = threadNames()
  return {
    async prepare(count) {
      const samples = []
      for (let n = 0; n < count; n++) samples.push(await Promise.all(names(lanes).map((id) => pair.prepare(id))))
      return samples
    },
    async run(/** @type {Awaited<ReturnType<typeof pair.prepare>>[]} */ held) {
      const times = await Promise.all(held.map((each) => pair.decide(each)))
      return { ms: Math.max(...times.map(({ done }) => done)) }
    },
    close: () => pair.close(),
  }
}
