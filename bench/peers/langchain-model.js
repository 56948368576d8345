// @ts-check
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { FIRST_INPUT, lookUps, TOOLS } from '../lib/subject/scenario.js'

/** A finished conversation with so many tool turns, but for its last answer. @param {number} turns */
export function history(turns) {
  const told = lookUps(turns).flatMap((step) => {
    if (!('call' in step)) return []
    const { id, name, args } = step.call
    return [
      new AIMessage({ content: '', tool_calls: [{ id, name, args, type: 'tool_call' }] }),
      new ToolMessage({ content: TOOLS.lookup.execute(/** @type {any} */ (args)), tool_call_id: id, name }),
    ]
  })
  return [new HumanMessage(FIRST_INPUT), ...told]
}

/** The newest checkpoint and the values that it names: all that LangGraph goes on from. */
const COPY = [
  `INSERT INTO checkpoints SELECT $1, checkpoint_ns, checkpoint_id, NULL, type, checkpoint, metadata
   FROM checkpoints WHERE thread_id = $2 ORDER BY checkpoint_id DESC LIMIT 1`,
  `INSERT INTO checkpoint_blobs SELECT $1, b.checkpoint_ns, b.channel, b.version, b.type, b.blob
   FROM checkpoint_blobs b WHERE b.thread_id = $2`,
]

/** Copies a conversation in the tables of the Postgres checkpointer. @param {import('pg').Pool} pool @param {string} from @param {string} thread */
export async function copyCheckpoint(pool, from, thread) {
  for (const sql of COPY) await pool.query(sql, [thread, from])
}

/** An answer as LangChain has it. @param {import('../lib/subject/scenario.js').Step} step */
function toMessage(step) {
  if ('text' in step) return new AIMessage(step.text)
  return new AIMessage({ content: '', tool_calls: [{ ...step.call, type: 'tool_call' }] })
}

/** Answers with the next step, whatever it is asked. */
export class FakeModel extends BaseChatModel {
  /** @param {() => import('../lib/subject/scenario.js').Step} next */
  constructor(next) {
    super({})
    this.next = next
  }

  _llmType() {
    return 'fake'
  }

  /** @override */
  bindTools() {
    return /** @type {any} */ (this)
  }

  /** @override @returns {Promise<any>} */
  async _generate() {
    return { generations: [{ text: '', message: toMessage(this.next()) }] }
  }
}
