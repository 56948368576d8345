// @ts-check
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { synchronous } from '../lib/sqlite/raw.js'
import { createAgentOn } from './langchain-agent.js'

/**
 * The checkpointer asks for better-sqlite3 12, which ends processes of Node 24.21 with an assertion when statements are collected. 13 does not, brings its
 * binaries along, and needs Node 22.
 * @param {string} path
 */
async function openSaver(path) {
  if (Number.parseInt(process.versions.node, 10) < 22) return SqliteSaver.fromConnString(path)
  const { default: Database } = await import('better-sqlite3-13')
  return new SqliteSaver(new Database(path))
}

/** LangChain with its approval middleware and its SQLite checkpointer. @param {string} path @param {import('../lib/sqlite/raw.js').Durability} durability */
export async function createLangChain(path, durability) {
  const saver = await openSaver(path)
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
