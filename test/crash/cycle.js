import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, openDesk, RunState, run, ThreadNotFound, tool } from 'holdpoint'
import { z } from 'zod'

/**
 * The approve cycle that children of the tests run: plain JavaScript on the built package, as a user's program would be.
 *
 * @typedef {'ask' | 'retry' | 'fail'} Unknown
 * @typedef {object} Cycle
 * @property {string} effects the file where tool bodies record that they ran
 * @property {Unknown} unknown what the gated tool says about unknown outcomes
 * @property {'approve' | 'edit' | 'reject' | 'respond'} decision what the person says to the gated call
 * @property {'approve' | 'respond' | 'reject'} onceMore what the person says when an outcome is unknown
 * @property {'state' | 'desk'} via the door of the decisions
 * @property {number} turns how often the model asks for tools before its last answer
 * @property {{ lookup: number, notify: number, refund: number }} bodyMs how long the bodies take after their effect
 */

/** Who decides. */
export const PERSON = 'reviewer-7'

/** What the edited call is run with. */
export const EDITED_AMOUNT = 5

/**
 * Appends one line, on disk when this returns.
 * @param {string} file
 * @param {object} line
 */
export function record(file, line) {
  const descriptor = openSync(file, 'a')
  writeSync(descriptor, `${JSON.stringify(line)}\n`)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * The model answers by what it reads, never by how often it was asked, so that it goes on after any restart. In each turn it asks for a
 * gated call, a free one and one that may be repeated, with the same call ids every time.
 * @param {number} turns
 * @returns {import('holdpoint').Model}
 */
function createModel(turns) {
  return {
    name: 'by the conversation',
    async respond({ messages }) {
      const own = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
      const turn = own.filter(({ role }) => role === 'assistant').length + 1
      if (turn > turns) return { content: `done after ${own.filter(({ role }) => role === 'tool').length} results` }
      return {
        toolCalls: [
          { id: 'c-refund', name: 'refund', args: { turn, amount: 40 } },
          { id: 'c-lookup', name: 'lookup', args: { turn } },
          { id: 'c-notify', name: 'notify', args: { turn } },
        ],
      }
    },
  }
}

/**
 * The agent. Each body records its effect outside the store first thing, then takes its time.
 * @param {Pick<Cycle, 'effects' | 'unknown' | 'turns' | 'bodyMs'>} options
 * @param {(name: string) => void} [reach]
 */
export function createAgent({ effects, unknown, turns, bodyMs }, reach = () => undefined) {
  /** @param {'lookup' | 'notify' | 'refund'} name @returns {(args: object, ctx: import('holdpoint').ToolContext) => Promise<object>} */
  const body = (name) => async (args, ctx) => {
    reach(`body:${name}:entered`)
    const { threadId, toolCallId, idempotencyKey, attempt } = ctx
    record(effects, { threadId, tool: name, toolCallId, idempotencyKey, attempt, pid: process.pid, args })
    reach(`body:${name}:done`)
    if (bodyMs[name] > 0) await sleep(bodyMs[name])
    return { ok: name, attempt, ...args }
  }
  const turn = z.number()
  return new Agent({
    id: 'cashier',
    name: 'Cashier',
    instructions: 'Handle the order.',
    model: createModel(turns),
    tools: [
      tool({
        name: 'refund',
        description: 'Pays money back.',
        parameters: z.object({ turn, amount: z.number() }),
        needsApproval: true,
        onUnknownOutcome: unknown,
        execute: body('refund'),
      }),
      tool({ name: 'lookup', description: 'Reads.', parameters: z.object({ turn }), execute: body('lookup') }),
      tool({
        name: 'notify',
        description: 'Tells somebody, once per key.',
        parameters: z.object({ turn }),
        idempotent: true,
        execute: body('notify'),
      }),
    ],
  })
}

/**
 * The run of a thread as it stands, or a new one.
 * @param {{ agent: import('holdpoint').Agent, store: import('holdpoint').Store, threadId: string }} at
 */
async function goOn({ agent, store, threadId }) {
  try {
    return await run(agent, await RunState.load(agent, { threadId, store }))
  } catch (error) {
    if (!(error instanceof ThreadNotFound)) throw error
    return run(agent, 'Refund the order.', { threadId, store })
  }
}

/**
 * The person's answer to a request.
 * @param {import('holdpoint').HitlRequest} request
 * @param {Cycle} cycle
 */
export function answerTo(request, { decision, onceMore }) {
  switch (request.reason === 'unknown_outcome' ? onceMore : decision) {
    case 'approve':
      return /** @type {const} */ ({ type: 'approve' })
    case 'reject':
      return /** @type {const} */ ({ type: 'reject', message: 'no, thanks' })
    case 'respond':
      return /** @type {const} */ ({ type: 'respond', message: 'done by hand' })
    case 'edit':
      return /** @type {const} */ ({ type: 'edit', args: { ...request.args, amount: EDITED_AMOUNT } })
  }
}

/**
 * Runs a thread to its end from wherever it stands. What its promises have promised is logged after each of them.
 * @param {{ agent: import('holdpoint').Agent, store: import('holdpoint').Store, threadId: string, cycle: Cycle, log: (line: object) => void }} at
 */
export async function finish({ agent, store, threadId, cycle, log }) {
  const began = performance.now()
  const desk = openDesk({ store })
  let result = await goOn({ agent, store, threadId })
  while (result.status === 'interrupted') {
    const { state } = result
    for (const { id, reason } of result.interruptions) log({ kind: 'asked', threadId, id, reason })
    for (const request of result.interruptions) {
      const answer = answerTo(request, cycle)
      if (cycle.via === 'desk') {
        await desk.decide({ request: request.id, decision: answer, by: { kind: 'person', id: PERSON } })
      } else {
        const { type, ...rest } = answer
        await /** @type {(request: object, options: object) => Promise<unknown>} */ (state[type].bind(state))(request, {
          ...rest,
          by: PERSON,
        })
      }
      log({ kind: 'decided', threadId, id: request.id, type: answer.type })
    }
    result = await run(agent, state)
  }
  if (result.status !== 'completed') throw new Error(`${threadId} is ${result.status}`, { cause: result.error })
  log({ kind: 'completed', threadId, output: result.finalOutput, ms: performance.now() - began })
}
