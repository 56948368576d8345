// @ts-check
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { synchronous } from '../lib/sqlite/raw.js'
import { createAgentOn } from './langchain-agent.js'

/** LangChain with its approval middleware and its SQLite checkpointer. @param {string} path @param {import('../lib/sqlite/raw.js').Durability} durability */
export function createLangChain(path, durability) {
  const saver = SqliteSaver.fromConnString(path)
  // The saver switches to WAL by itself, with NORMAL.
  saver.setup()
  saver.db.pragma(`synchronous = ${synchronous(durability)}`)
  if (saver.db.pragma('journal_mode', { simple: true }) !== 'wal') throw new Error('langchain: not in WAL mode')
  return {
    ...createAgentOn(saver),
    /** Copies of a conversation's newest checkpoint: all that LangGraph goes on from. @param {string} from @param {readonly string[]} to */
    copy(from, to) {
      const insert = saver.db.prepare(
        `INSERT INTO checkpoints SELECT ?, checkpoint_ns, checkpoint_id, NULL, type, checkpoint, metadata
         FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_id DESC LIMIT 1`,
      )
      saver.db.transaction(() => {
        for (const thread of to) insert.run(thread, from)
      })()
    },
    close: () => saver.db.close(),
  }
}
