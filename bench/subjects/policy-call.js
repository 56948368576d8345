// @ts-check
import { loadHoldpoint } from '../lib/subject/dist.js'
import { createPlayer } from '../lib/subject/player.js'
import { DONE, FIRST_INPUT, TOOLS } from '../lib/subject/scenario.js'

const { Agent, humanInTheLoop, memoryStore, run, tool } = await loadHoldpoint()

/** Long enough for a thousand different patterns that fit it. */
const NAME = 'lookup_order_by_number_in_the_warehouse'

/** One plain tool call in memory: input → the model calls a free tool → it runs → the model answers; under a policy of so many rules. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ rules = 0 }) {
  const player = createPlayer()
  const { description, parameters, execute } = TOOLS.lookup
  const agent = new Agent({
    name: 'orders',
    model: {
      name: 'fake',
      async respond() {
        const step = player.next()
        return 'text' in step ? { content: step.text } : { content: '', toolCalls: [/** @type {any} */ (step.call)] }
      },
    },
    tools: [tool({ name: NAME, description, parameters, execute: /** @type {any} */ (execute) })],
    ...(rules === 0 ? {} : { policy: humanInTheLoop({ interruptOn: makeRules(rules) }) }),
  })
  const steps = [{ call: { id: 'call_1', name: NAME, args: { orderId: 7 } } }, DONE]
  const store = memoryStore()
  let count = 0
  return {
    prepare: (samples) => Array.from({ length: samples }, () => `thread-${count++}`),
    async run(threadId) {
      player.load(steps)
      const { status, error } = await run(agent, FIRST_INPUT, { store, threadId })
      if (status !== 'completed') throw new Error(`the call did not run: ${status}`, { cause: error })
    },
  }
}

/** One rule lets the tool run by its name; every other is a pattern that fits the tool too, and would have a person asked. @param {number} count */
function makeRules(count) {
  /** @type {Record<string, boolean>} */
  const rules = { [NAME]: false }
  for (let a = 0; a < NAME.length; a++) {
    for (let b = a + 2; b < NAME.length; b++) {
      for (let c = b + 2; c < NAME.length; c++) {
        if (Object.keys(rules).length === count) return rules
        rules[`${NAME.slice(0, a)}*${NAME.slice(a + 1, b)}*${NAME.slice(b + 1, c)}*${NAME.slice(c + 1)}`] = true
      }
    }
  }
  throw new Error(`there are not ${count} patterns`)
}
