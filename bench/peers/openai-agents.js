// @ts-check
import { Agent, Runner, RunState, setTracingDisabled, tool, Usage } from '@openai/agents'
import { CALLS, DOWN, LEVELS, PART, PARTS, PLAIN, refundFor, TOGETHER, UP } from '../lib/subject/agents-scenario.js'
import { createPlayer } from '../lib/subject/player.js'
import { DONE, FIRST_INPUT, INSTRUCTIONS, TOOLS } from '../lib/subject/scenario.js'

setTracingDisabled(true)

/** The OpenAI Agents SDK with several calls at once, agents inside agents, and streams. */
export function createOpenAiAgents() {
  const player = createPlayer()
  const model = createModel(player)
  const tools = Object.values(TOOLS).map(({ name, description, parameters, gated, execute }) =>
    tool({ name, description, parameters: /** @type {any} */ (parameters), needsApproval: gated, execute }),
  )
  const agent = new Agent({ name: 'orders', instructions: INSTRUCTIONS, model, tools })
  const [clerk = '', ...above] = LEVELS
  let nested = new Agent({ name: clerk, instructions: INSTRUCTIONS, model, tools })
  for (const name of above) {
    const asTool = nested.asTool({ toolName: nested.name, toolDescription: 'Passes it on.' })
    nested = new Agent({ name, instructions: INSTRUCTIONS, model, tools: [/** @type {any} */ (asTool)] })
  }
  const talker = new Agent({ name: 'talker', instructions: INSTRUCTIONS, model: createStreamingModel() })
  const runner = new Runner({ tracingDisabled: true })
  const options = { maxTurns: 1_000_000 }

  return {
    async plain() {
      player.load(/** @type {any} */ (PLAIN))
      expectEnd(await runner.run(agent, FIRST_INPUT, options))
      player.assertDone()
    },
    async gated() {
      player.load(/** @type {any} */ ([TOGETHER, DONE]))
      const paused = await runner.run(agent, FIRST_INPUT, options)
      const open = paused.interruptions
      if (open.length !== CALLS) throw new Error('openai: not everything waits')
      for (const interruption of open) paused.state.approve(interruption)
      expectEnd(await runner.run(agent, paused.state, options))
      player.assertDone()
    },
    async nested() {
      player.load(/** @type {any} */ ([...DOWN, ...UP]))
      const paused = await runner.run(nested, FIRST_INPUT, options)
      const state = await RunState.fromString(nested, paused.state.toString())
      const [interruption] = state.getInterruptions()
      if (!interruption) throw new Error('openai: nothing to approve')
      state.approve(interruption)
      expectEnd(await runner.run(nested, state, options))
      player.assertDone()
    },
    async stream() {
      const began = performance.now()
      const stream = await runner.run(talker, FIRST_INPUT, { ...options, stream: true })
      let first = 0
      let heard = 0
      for await (const text of stream.toTextStream()) {
        if (heard === 0) first = performance.now() - began
        heard += text.length
      }
      if (heard !== PARTS * PART.length) throw new Error('openai: something was not heard')
      await stream.completed
      return { first }
    },
    /** The sizes of the text after each of so many approvals in a row, with so long a reason each. @param {number} approvals @param {number} length */
    async sizes(approvals, length) {
      player.load([refundFor(0, length)])
      let paused = await runner.run(agent, FIRST_INPUT, options)
      const sizes = [Buffer.byteLength(paused.state.toString())]
      for (let i = 1; i <= approvals; i++) {
        player.load([refundFor(i, length)])
        const [interruption] = paused.interruptions
        if (!interruption) throw new Error('openai: nothing to approve')
        paused.state.approve(interruption)
        paused = await runner.run(agent, paused.state, options)
        sizes.push(Buffer.byteLength(paused.state.toString()))
      }
      return sizes
    },
  }
}

/** @param {{ finalOutput?: unknown }} result */
function expectEnd({ finalOutput }) {
  if (finalOutput !== DONE.text) throw new Error('openai: the run did not end')
}

/** @param {import('../lib/subject/player.js').Player} player @returns {any} */
function createModel(player) {
  return {
    async getResponse() {
      const step = /** @type {import('../lib/subject/agents-scenario.js').AgentsStep} */ (player.next())
      if ('text' in step) return { usage: new Usage(), output: [toMessage(step.text)] }
      return { usage: new Usage(), output: ('calls' in step ? step.calls : [step.call]).map(toCall) }
    },
    getStreamedResponse() {
      throw new Error('not used')
    },
  }
}

/** @returns {any} */
function createStreamingModel() {
  return {
    getResponse() {
      throw new Error('not used')
    },
    async *getStreamedResponse() {
      yield { type: 'response_started' }
      for (let i = 0; i < PARTS; i++) yield { type: 'output_text_delta', delta: PART }
      const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
      yield { type: 'response_done', response: { id: 'r', usage, output: [toMessage(PART.repeat(PARTS))] } }
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
