// @ts-check
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { threadNames } from '../lib/subject/names.js'
import { createAgentOn } from '../peers/langchain-agent.js'
import { copyCheckpoint } from '../peers/langchain-model.js'

/** LangChain's durable cycle on Postgres, each time on a new copy of a thread with a history; `lanes` at once are one sample. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ url = '', turns, lanes = 1 }) {
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  const peers = Array.from({ length: lanes }, () => createAgentOn(saver))
  await peers[0]?.build('template', turns)
  const pool = /** @type {any} */ (saver).pool
  const names = threadNames()
  return {
    async prepare(count) {
      const samples = Array.from({ length: count }, () => names(lanes))
      for (const thread of samples.flat()) await copyCheckpoint(pool, 'template', thread)
      return samples
    },
    run: (/** @type {string[]} */ ids) => Promise.all(ids.map((id, lane) => peers[lane]?.durableCycle(id))),
    close: () => saver.end(),
  }
}
