// @ts-check
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { inFlight } from '../lib/subject/in-flight.js'
import { threadNames } from '../lib/subject/names.js'
import { createAgentOn } from '../peers/langchain-agent.js'
import { copyCheckpoint } from '../peers/langchain-model.js'

/** LangChain's durable cycle on Postgres, each time on a new copy of a thread with a history; a sample is `each` of them for each of `lanes`, which are under way at once. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ url = '', turns, lanes = 1, each = 1 }) {
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  const peers = Array.from({ length: lanes }, () => createAgentOn(saver))
  await peers[0]?.build('template', turns)
  const pool = /** @type {any} */ (saver).pool
  const names = threadNames()
  return {
    async prepare(count) {
      const samples = Array.from({ length: count }, () => names(lanes * each))
      for (const thread of samples.flat()) await copyCheckpoint(pool, 'template', thread)
      return samples
    },
    run: (/** @type {string[]} */ ids) => inFlight(ids, lanes, async (id, lane) => peers[lane]?.durableCycle(id)),
    close: () => saver.end(),
  }
}
