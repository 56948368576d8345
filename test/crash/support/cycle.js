import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, HoldpointError, handoff, openDesk, RunState, run, tool } from 'holdpoint'
import { z } from 'zod'

/**
 * The approve cycle that children of the tests run: plain JavaScript on the built package, as a user's program would be.
 *
 * @typedef {'ask' | 'retry' | 'fail'} Unknown
 * @typedef {'alone' | 'nested' | 'handoff'} Shape
 * @typedef {'lookup' | 'notify' | 'refund' | 'onHandoff'} Effective what records that it ran
 * @typedef {object} Cycle
 * @property {string} effects the file where tool bodies record that they ran
 * @property {Unknown} unknown what the gated tool says about unknown outcomes
 * @property {'approve' | 'edit' | 'reject' | 'respond'} decision what the person says to the gated call
 * @property {'approve' | 'respond' | 'reject'} onceMore what the person says when an outcome is unknown
 * @property {'state' | 'desk'} via the door of the decisions
 * @property {number} turns how often the model asks for tools before its last answer
 * @property {Shape} shape who does it: the root itself, an agent that the root calls as a tool, or one that it hands over to; both are gated
 * @property {{ lookup: number, notify: number, refund: number }} bodyMs how long the bodies take after their effect
 */

/** Who decides. */
export const PERSON = 'reviewer-7'

/** What the edited call is run with. */
export const EDITED_AMOUNT = 5

/** The length of each line, in bytes. It divides the page size: SIGKILL cuts a write only where a page ends. */
const LINE_BYTES = 1024

/**
 * Appends one line, whole or not at all. It is on disk when this returns.
 * @param {string} file
 * @param {object} line
 */
export function record(file, line) {
  const bytes = Buffer.alloc(LINE_BYTES, ' ')
  const text = Buffer.from(JSON.stringify(line))
  if (text.length >= LINE_BYTES) throw new Error(`A line of ${text.length} bytes is too long: ${text}`)
  text.copy(bytes)
  bytes.write('\n', LINE_BYTES - 1)
  const descriptor = openSync(file, 'a')
  writeSync(descriptor, bytes)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * The model answers by what it reads, never by how often it was asked, so that it goes on after any restart. In each turn it asks for a
 * gated call, a free one and one that may be repeated, with the same call ids every time. A hand-off is part of what it reads, not of its turns.
 * @param {number} turns
 * @returns {import('holdpoint').Model}
 */
function createModel(turns) {
  return {
    name: 'by the conversation',
    async respond({ messages }) {
      const own = messages.slice(messages.findLastIndex(isBeginning) + 1)
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

/** @param {import('holdpoint').Message} message */
function isBeginning(message) {
  return message.role === 'user' || (message.role === 'tool' && message.toolName === 'transfer_to_Cashier')
}

/**
 * The agent: a cashier, or somebody who passes the order on to one.
 * @param {Pick<Cycle, 'effects' | 'unknown' | 'turns' | 'bodyMs' | 'shape'>} options
 * @param {(name: string) => void} [reach]
 */
export function createAgent({ shape, ...options }, reach = () => undefined) {
  const body = createBody(options, reach)
  const cashier = createCashier(options, body)
  switch (shape) {
    case 'alone':
      return cashier
    case 'nested': {
      const model = createPasser({ id: 'c-cashier', name: 'cashier', args: { input: 'Refund the order.' } })
      return new Agent({ name: 'Manager', model, tools: [cashier.asTool({ name: 'cashier', needsApproval: true })] })
    }
    case 'handoff': {
      const model = createPasser({ id: 'c-transfer', name: 'transfer_to_Cashier', args: {} })
      const onHandoff = /** @type {(args: object, ctx: import('holdpoint').ToolContext) => unknown} */ (
        body('onHandoff')
      )
      return new Agent({ name: 'Triage', model, handoffs: [handoff(cashier, { needsApproval: true, onHandoff })] })
    }
  }
}

/**
 * A model that passes everything on with one call.
 * @param {{ id: string, name: string, args: import('holdpoint').JsonObject }} call
 * @returns {import('holdpoint').Model}
 */
function createPasser(call) {
  return {
    name: 'passes on',
    async respond({ messages }) {
      const results = messages.filter(({ role }) => role === 'tool').length
      return results > 0 ? { content: `done after ${results} results` } : { toolCalls: [call] }
    },
  }
}

/**
 * Each body records its effect outside the store first thing, then takes its time.
 * @param {Pick<Cycle, 'effects' | 'bodyMs'>} options
 * @param {(name: string) => void} reach
 */
function createBody({ effects, bodyMs }, reach) {
  /** @param {Effective} name @returns {(args: object, ctx: import('holdpoint').ToolContext) => Promise<object>} */
  return (name) => async (args, ctx) => {
    reach(`body:${name}:entered`)
    const { threadId, toolCallId, idempotencyKey, attempt } = ctx
    record(effects, { threadId, tool: name, toolCallId, idempotencyKey, attempt, pid: process.pid, args })
    reach(`body:${name}:done`)
    const ms = name === 'onHandoff' ? 0 : bodyMs[name]
    if (ms > 0) await sleep(ms)
    return { ok: name, attempt, ...args }
  }
}

/**
 * @param {Pick<Cycle, 'unknown' | 'turns'>} options
 * @param {ReturnType<typeof createBody>} body
 */
function createCashier({ unknown, turns }, body) {
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
    if (!(HoldpointError.isInstance(error) && error.code === 'thread_not_found')) throw error
    return run(agent, 'Refund the order.', { threadId, store })
  }
}

/**
 * The person's answer to a request.
 * @param {import('holdpoint').HitlRequest} request
 * @param {Cycle} cycle
 */
export function answerTo(request, { decision, onceMore }) {
  // That the order is passed on is always approved: this is about what comes of it.
  if (request.toolName === 'cashier' || request.toolName === 'transfer_to_Cashier')
    return /** @type {const} */ ({ type: 'approve' })
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
