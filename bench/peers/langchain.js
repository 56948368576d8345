// @ts-check
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { Command } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain'
import { createPlayer } from '../lib/player.js'
import { DONE, FIRST_INPUT, INPUT, INSTRUCTIONS, lookUps, refund, TOOLS } from '../lib/scenario.js'

process.env.LANGSMITH_TRACING = 'false'
process.env.LANGCHAIN_TRACING_V2 = 'false'

/** LangChain with its approval middleware and its SQLite checkpointer. @param {string} path */
export function createLangChain(path) {
  const saver = SqliteSaver.fromConnString(path)
  // The saver switches to WAL by itself; NORMAL is what it gets there anyway, said here so that nobody has to know.
  saver.setup()
  saver.db.pragma('synchronous = NORMAL')
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

/** The agent, on any checkpointer. @param {import('@langchain/langgraph').BaseCheckpointSaver} saver */
export function createAgentOn(saver) {
  const player = createPlayer()
  const agent = createAgent({
    model: /** @type {any} */ (new FakeModel(player)),
    systemPrompt: INSTRUCTIONS,
    tools: Object.values(TOOLS).map(({ name, description, parameters, execute }) =>
      tool(/** @type {any} */ (execute), { name, description, schema: parameters }),
    ),
    middleware: [humanInTheLoopMiddleware({ interruptOn: { refund: true } })],
    checkpointer: saver,
  })
  const at = (/** @type {string} */ thread) => ({ configurable: { thread_id: thread } })

  return {
    /** A finished conversation with so many tool turns. @param {string} thread @param {number} turns */
    async build(thread, turns) {
      player.load([DONE])
      await agent.invoke({ messages: history(turns) }, at(thread))
    },
    /** Input → paused → resumed from the store with an approval → done. @param {string} thread */
    async durableCycle(thread) {
      player.load([refund(0), DONE])
      const paused = await agent.invoke({ messages: [new HumanMessage(INPUT)] }, at(thread))
      if (!(/** @type {any} */ (paused).__interrupt__?.length)) throw new Error('langchain: the run did not pause')
      const resume = new Command({ resume: { decisions: [{ type: 'approve' }] } })
      const done = await agent.invoke(resume, at(thread))
      if (done.messages.at(-1)?.content !== DONE.text) throw new Error('langchain: the run did not end')
      player.assertDone()
    },
  }
}

/** @param {number} turns */
function history(turns) {
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

class FakeModel extends BaseChatModel {
  /** @param {import('../lib/player.js').Player} player */
  constructor(player) {
    super({})
    this.player = player
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
    const step = this.player.next()
    const message =
      'text' in step
        ? new AIMessage(step.text)
        : new AIMessage({ content: '', tool_calls: [{ ...step.call, type: 'tool_call' }] })
    return { generations: [{ text: '', message }] }
  }
}
