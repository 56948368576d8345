import type { ForeignCall } from '../../gate.ts'
import {
  type Actor,
  type Decision,
  HitlNoPendingRequest,
  HitlStaleAnswer,
  HoldpointError,
  type JsonObject,
} from '../../index.ts'
import type { Hooked } from './calls.ts'

/** A request that was asked about in a round, in the order of its interrupt. */
export interface Asked {
  readonly id: string
  readonly call: ForeignCall
}

/** An answer to one request. */
interface Answered {
  asked: Asked
  decision: Decision
}

const SHAPE = 'Resume with { decisions: [ … ] }, one for each of actionRequests, in that order or with their ids.'

/**
 * Hands the answer of a resumed graph to the desk, as the person who resumed it. Returns what is wrong with it; then nothing of it was decided, except where
 * the desk refused a single decision. A decision that comes too late loses against the earlier one. `{ holdpoint: … }` only wakes the graph.
 */
export async function absorb(
  { options, runtime }: Hooked,
  answer: unknown,
  asked: readonly Asked[],
): Promise<string[]> {
  if (isObject(answer) && 'holdpoint' in answer) return []
  const read = readAnswer(answer, asked)
  if (typeof read === 'string') return [read]
  const by = await options.by?.(runtime)
  if (!by) return ['Nobody is known to have answered: decide in the inbox, or pass `by` to holdpointMiddleware.']
  const problems: string[] = []
  for (const one of read) {
    const problem = await decide(options.gate, one, by)
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}

async function decide(
  gate: Hooked['options']['gate'],
  { asked, decision }: Answered,
  by: Actor,
): Promise<string | undefined> {
  try {
    await gate.decide(asked.id, decision, { by })
    return undefined
  } catch (error) {
    if (error instanceof HitlStaleAnswer || error instanceof HitlNoPendingRequest) return undefined
    if (!HoldpointError.isInstance(error) || error.retryable || error.code.startsWith('store_')) throw error
    return `${asked.call.toolName}: ${error.message}`
  }
}

/** The decisions of an answer with what they are about, or what is wrong. */
function readAnswer(answer: unknown, asked: readonly Asked[]): Answered[] | string {
  const decisions = isObject(answer) ? answer.decisions : undefined
  if (!Array.isArray(decisions)) return SHAPE
  const ids = decisions.flatMap((one) => (isObject(one) && one.id !== undefined ? [one.id] : []))
  const byId = ids.length > 0
  if (byId && ids.length < decisions.length) return `Only some decisions have an id. ${SHAPE}`
  if (new Set(ids).size < ids.length) return 'Two decisions are about the same request.'
  if (!byId && decisions.length !== asked.length)
    return `There are ${decisions.length} decisions for ${asked.length} calls. ${SHAPE}`
  const read: Answered[] = []
  for (const [index, given] of (decisions as unknown[]).entries()) {
    const about = byId ? asked.find(({ id }) => id === (given as { id: unknown }).id) : asked[index]
    if (!about) return 'A decision names a request that was not asked about.'
    const decision = readDecision(given, about.call.toolName)
    if (typeof decision === 'string') return `${about.call.toolName}: ${decision}`
    read.push({ asked: about, decision })
  }
  return read
}

function readDecision(given: unknown, toolName: string): Decision | string {
  if (!isObject(given)) return 'a decision must be an object.'
  const { type, message } = given
  if (message !== undefined && typeof message !== 'string') return 'message must be a string.'
  switch (type) {
    case 'approve':
      return { type }
    case 'reject':
      return message === undefined ? { type } : { type, message }
    case 'respond':
      return message === undefined ? 'respond needs a message.' : { type, message }
    case 'edit': {
      const action = given.editedAction ?? given.edited_action
      if (!isObject(action) || !isObject(action.args)) return 'edit needs editedAction: { name, args }.'
      if (action.name !== undefined && action.name !== toolName) return 'an edit cannot change which tool is called.'
      return { type, args: action.args as JsonObject }
    }
    default:
      return `there is no decision ${JSON.stringify(type)}; use approve, edit, reject or respond.`
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
