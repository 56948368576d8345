// @ts-check
import { CALLS, DOWN, LEVELS, PART, PARTS, PLAIN, refundFor, TOGETHER, UP } from '../lib/subject/agents-scenario.js'
import { loadHoldpoint } from '../lib/subject/dist.js'
import { createPlayer } from '../lib/subject/player.js'
import { DONE, FIRST_INPUT, INSTRUCTIONS, TOOLS } from '../lib/subject/scenario.js'

const { Agent, RunState, run, tool } = await loadHoldpoint()

/** @typedef {import('../../dist/index.js').RunResult} RunResult */

/** holdpoint with several calls at once, agents inside agents, and streams. */
export function createHoldpointAgents() {
  const player = createPlayer()
  const model = createModel(player)
  const tools = Object.values(TOOLS).map(({ name, description, parameters, gated, execute }) =>
    tool({ name, description, parameters, needsApproval: gated, execute: /** @type {any} */ (execute) }),
  )
  const agent = new Agent({ name: 'orders', instructions: INSTRUCTIONS, model, tools })
  const [clerk = '', ...above] = LEVELS
  let nested = new Agent({ name: clerk, instructions: INSTRUCTIONS, model, tools })
  for (const name of above)
    nested = new Agent({
      name,
      instructions: INSTRUCTIONS,
      model,
      tools: [nested.asTool({ description: 'Passes it on.' })],
    })
  const talker = new Agent({ name: 'talker', instructions: INSTRUCTIONS, model: createStreamingModel() })
  const options = { maxTurns: null }

  return {
    async plain() {
      player.load(/** @type {any} */ (PLAIN))
      expect(await run(agent, FIRST_INPUT, options), 'completed')
      player.assertDone()
    },
    async gated() {
      player.load(/** @type {any} */ ([TOGETHER, DONE]))
      const paused = expect(await run(agent, FIRST_INPUT, options), 'interrupted')
      if (paused.interruptions.length !== CALLS) throw new Error('holdpoint: not everything waits')
      for (const request of paused.interruptions) await paused.state.approve(request)
      expect(await run(agent, paused.state, options), 'completed')
      player.assertDone()
    },
    async nested() {
      player.load(/** @type {any} */ ([...DOWN, ...UP]))
      const paused = expect(await run(nested, FIRST_INPUT, options), 'interrupted')
      const state = await RunState.fromString(nested, paused.state.toString())
      const [request] = state.interruptions
      if (!request) throw new Error('holdpoint: nothing to approve')
      await state.approve(request)
      expect(await run(nested, state, options), 'completed')
      player.assertDone()
    },
    async stream() {
      const began = performance.now()
      const stream = await run(talker, FIRST_INPUT, { stream: true })
      let first = 0
      let heard = 0
      for await (const text of stream.toTextStream()) {
        if (heard === 0) first = performance.now() - began
        heard += text.length
      }
      if (heard !== PARTS * PART.length) throw new Error('holdpoint: something was not heard')
      expect(await stream.completed, 'completed')
      return { first }
    },
    /** The sizes of the text after each of so many approvals in a row, with so long a reason each. @param {number} approvals @param {number} length */
    async sizes(approvals, length) {
      player.load([refundFor(0, length)])
      const { state } = expect(await run(agent, FIRST_INPUT, options), 'interrupted')
      const sizes = [Buffer.byteLength(state.toString())]
      for (let i = 1; i <= approvals; i++) {
        player.load([refundFor(i, length)])
        const [request] = state.interruptions
        if (!request) throw new Error('holdpoint: nothing to approve')
        await state.approve(request)
        expect(await run(agent, state, options), 'interrupted')
        sizes.push(Buffer.byteLength(state.toString()))
      }
      return sizes
    },
  }
}

/** @param {RunResult} result @param {RunResult['status']} status */
function expect(result, status) {
  if (result.status === status) return result
  throw new Error(`holdpoint: ${status} was expected, not ${result.status}`, { cause: result.error })
}

/** @param {import('../lib/subject/player.js').Player} player @returns {import('../../dist/index.js').Model} */
function createModel(player) {
  return {
    name: 'fake',
    async respond() {
      const step = /** @type {import('../lib/subject/agents-scenario.js').AgentsStep} */ (player.next())
      if ('text' in step) return { content: step.text }
      return { content: '', toolCalls: /** @type {any} */ ('calls' in step ? step.calls : [step.call]) }
    },
  }
}

/** @returns {import('../../dist/index.js').Model} */
function createStreamingModel() {
  return {
    name: 'fake',
    async *respond() {
      for (let i = 0; i < PARTS; i++) yield { type: 'text', text: PART }
      yield { type: 'finish' }
    },
  }
}
