// @ts-check
import { Agent, Runner, RunState, setTracingDisabled, tool, Usage } from '@openai/agents'
import { createPlayer } from '../lib/subject/player.js'
import { DONE, FIRST_INPUT, INSTRUCTIONS, lookUps, refund, TOOLS } from '../lib/subject/scenario.js'

setTracingDisabled(true)

/** The OpenAI Agents SDK: a paused run as text and back. */
export function createOpenAi() {
  const player = createPlayer()
  const agent = new Agent({
    name: 'orders',
    instructions: INSTRUCTIONS,
    model: createModel(player),
    tools: Object.values(TOOLS).map(({ name, description, parameters, gated, execute }) =>
      tool({ name, description, parameters: /** @type {any} */ (parameters), needsApproval: gated, execute }),
    ),
  })
  const runner = new Runner({ tracingDisabled: true })
  const options = { maxTurns: 1_000_000 }

  return {
    /** A run that waits for an approval after so many tool turns of its own. @param {number} turns */
    async pause(turns) {
      player.load([...lookUps(turns), refund(turns)])
      const paused = await runner.run(agent, FIRST_INPUT, options)
      if (paused.interruptions.length !== 1) throw new Error('openai: the run did not pause')
      return paused
    },
    /** Text → restored → approved → done. @param {Awaited<ReturnType<typeof runner.run>>} paused */
    async textCycle(paused) {
      player.load([DONE])
      const text = paused.state.toString()
      const state = await RunState.fromString(agent, text)
      const [interruption] = state.getInterruptions()
      if (!interruption) throw new Error('openai: nothing to approve')
      state.approve(interruption)
      const done = await runner.run(agent, state, options)
      if (done.finalOutput !== DONE.text) throw new Error('openai: the run did not end')
      player.assertDone()
    },
    /** Text → restored. @param {Awaited<ReturnType<typeof runner.run>>} paused */
    async roundTrip(paused) {
      await RunState.fromString(agent, paused.state.toString())
    },
  }
}

/** @param {import('../lib/subject/player.js').Player} player @returns {any} */
function createModel(player) {
  return {
    async getResponse() {
      const step = player.next()
      return { usage: new Usage(), output: ['text' in step ? toMessage(step.text) : toCall(step.call)] }
    },
    getStreamedResponse() {
      throw new Error('not used')
    },
  }
}

/** @param {string} text */
function toMessage(text) {
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}

/** @param {{ id: string, name: string, args: Record<string, unknown> }} call */
function toCall({ id, name, args }) {
  return { type: 'function_call', callId: id, name, arguments: JSON.stringify(args), status: 'completed' }
}
