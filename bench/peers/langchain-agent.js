// @ts-check
import { HumanMessage } from '@langchain/core/messages'
import { Command } from '@langchain/langgraph'
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain'
import { createPlayer } from '../lib/subject/player.js'
import { DONE, INPUT, INSTRUCTIONS, refund, TOOLS } from '../lib/subject/scenario.js'
import { FakeModel, history } from './langchain-model.js'

process.env.LANGSMITH_TRACING = 'false'
process.env.LANGCHAIN_TRACING_V2 = 'false'

/** The agent, on any checkpointer. @param {import('@langchain/langgraph').BaseCheckpointSaver} saver */
export function createAgentOn(saver) {
  const player = createPlayer()
  const agent = createAgent({
    model: /** @type {any} */ (new FakeModel(() => player.next())),
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
