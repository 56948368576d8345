// @ts-check
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { Command, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { DONE, INPUT, refund, TOOLS } from '../lib/subject/scenario.js'
import { copyCheckpoint, FakeModel, history } from './langchain-model.js'

process.env.LANGSMITH_TRACING = 'false'
process.env.LANGCHAIN_TRACING_V2 = 'false'

/**
 * A graph of two nodes with LangGraph's Postgres checkpointer: the model, and a node that runs its call and asks first if the call is gated. No graph
 * that asks has fewer steps.
 *
 * @param {string} url
 */
export async function createLangGraph(url) {
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  const pool = /** @type {import('pg').Pool} */ (/** @type {any} */ (saver).pool)
  const asking = compile(saver, refund(0))
  const ending = compile(saver, DONE)
  const at = (/** @type {string} */ thread) => ({ configurable: { thread_id: thread } })
  return {
    /** A finished conversation with so many tool turns. @param {string} thread @param {number} turns */
    async build(thread, turns) {
      await ending.invoke({ messages: history(turns) }, at(thread))
    },
    /** A copy of a finished conversation that goes on and waits for an approval. @param {string} from @param {string} thread */
    async pause(from, thread) {
      await copyCheckpoint(pool, from, thread)
      const paused = await asking.invoke({ messages: [new HumanMessage(INPUT)] }, at(thread))
      if (!(/** @type {any} */ (paused).__interrupt__?.length)) throw new Error('langgraph: the run did not pause')
    },
    /** Approved → the tool → the last answer. @param {string} thread */
    async resume(thread) {
      const done = await ending.invoke(new Command({ resume: { type: 'approve' } }), at(thread))
      if (done.messages.at(-1)?.content !== DONE.text) throw new Error('langgraph: the run did not end')
    },
    close: () => saver.end(),
  }
}

/** A graph whose model always gives this answer. @param {PostgresSaver} saver @param {import('../lib/subject/scenario.js').Step} answer */
function compile(saver, answer) {
  const model = new FakeModel(() => answer)
  const callOf = (/** @type {typeof MessagesAnnotation.State} */ { messages }) =>
    /** @type {any} */ (messages.at(-1)).tool_calls?.[0]
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tool', (state) => {
      const { id, name, args } = callOf(state)
      const { gated, execute } = TOOLS[/** @type {keyof typeof TOOLS} */ (name)]
      if (gated && interrupt({ name, args }).type !== 'approve') throw new Error('langgraph: not approved')
      return { messages: [new ToolMessage({ content: execute(args), tool_call_id: id, name })] }
    })
    .addEdge(START, 'model')
    .addConditionalEdges('model', (state) => (callOf(state) ? 'tool' : END))
    .addEdge('tool', 'model')
    .compile({ checkpointer: saver })
}
