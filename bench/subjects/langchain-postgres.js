// @ts-check
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { threadNames } from '../lib/names.js'
import { createAgentOn } from '../peers/langchain.js'

/** The newest checkpoint and the values that it names: all that LangGraph goes on from. */
const COPY = [
  `INSERT INTO checkpoints SELECT $1, checkpoint_ns, checkpoint_id, NULL, type, checkpoint, metadata
   FROM checkpoints WHERE thread_id = $2 ORDER BY checkpoint_id DESC LIMIT 1`,
  `INSERT INTO checkpoint_blobs SELECT $1, b.checkpoint_ns, b.channel, b.version, b.type, b.blob
   FROM checkpoint_blobs b WHERE b.thread_id = $2`,
]

/** LangChain's durable cycle on Postgres, each time on a new copy of a thread with a history; `lanes` at once are one sample. @type {import('../lib/subject.js').CreateSubject} */
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
      for (const thread of samples.flat()) for (const sql of COPY) await pool.query(sql, [thread, 'template'])
      return samples
    },
    run: (/** @type {string[]} */ ids) => Promise.all(ids.map((id, lane) => peers[lane]?.durableCycle(id))),
    close: () => saver.end(),
  }
}
