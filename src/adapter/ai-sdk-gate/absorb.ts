import type { ForeignCall, Gate } from '../../gate.ts'
import { type Actor, type HitlRequest, HoldpointError } from '../../index.ts'
import { answerFor, decisionOf, type PageAnswer, pageAnswers } from '../ai-sdk-page/page-answer.ts'
import {
  answeredApproval,
  checkMessages,
  toolNameOf,
  toolPart,
  type UiMessage,
  type UiToolPart,
} from '../ai-sdk-page/ui-message.ts'

/** What became of an answer that the page sent. */
export interface AbsorbedAnswer {
  toolCallId: string
  toolName: string
  /**
   * `decided`: this answer counts. `not-open`: there is no question that it could answer, as the call was decided before, is asked about again in the inbox,
   * or was made up. `refused`: the answer was not accepted, and the question is open; `problem` says why.
   */
  outcome: 'decided' | 'not-open' | 'refused'
  requestId?: string
  problem?: string
}

/** What `absorb` needs of its gate. */
export interface Absorbing {
  gate: Gate
  by: Actor | undefined
  /** The call of a part, or undefined if its tool is not gated. */
  callOf: (part: UiToolPart) => ForeignCall | undefined
}

/** Gives the answers of a page to the gate, as decisions of its user. */
export async function absorb(
  absorbing: Absorbing,
  messages: readonly UiMessage[],
  body: unknown,
): Promise<AbsorbedAnswer[]> {
  checkMessages(messages)
  const given = pageAnswers(body)
  const parts = messages.flatMap(({ role, parts = [] }) => (role === 'assistant' ? parts : []))
  const answered = parts.flatMap((part) => {
    const tool = toolPart(part)
    return tool && answeredApproval(tool) ? [tool] : []
  })
  const open = await Promise.all(answered.map((part) => look(absorbing, part)))
  const alone = open.filter(({ request }) => request !== undefined).length === 1
  const outcomes: AbsorbedAnswer[] = []
  // One after the other: each is a decision of its own, and a refused one does not undo another.
  for (const one of open) outcomes.push(await take(absorbing, one, { given, alone }))
  return outcomes
}

type Looked = { part: UiToolPart; request?: HitlRequest }

async function look({ gate, callOf }: Absorbing, part: UiToolPart): Promise<Looked> {
  const call = callOf(part)
  if (!call) return { part }
  const state = await gate.state(call)
  if (state.status === 'held' && isFirst(state.request)) return { part, request: state.request }
  return { part }
}

/**
 * Whether a request is the one that the page has shown. A page keeps its answer and sends it again with every message: it must not answer what is asked
 * later about the same call, such as a changed tool, a withdrawn decision or an unknown outcome. Those are decided in the inbox.
 */
function isFirst({ status, version, supersedes, reason }: HitlRequest): boolean {
  return status === 'open' && version === 1 && supersedes === undefined && reason === undefined
}

async function take(
  { gate, by }: Absorbing,
  { part, request }: Looked,
  { given, alone }: { given: readonly PageAnswer[]; alone: boolean },
): Promise<AbsorbedAnswer> {
  const { toolCallId } = part
  const about = { toolCallId, toolName: toolNameOf(part), ...(request ? { requestId: request.id } : {}) }
  if (!request) return { ...about, outcome: 'not-open' }
  if (!by) return { ...about, outcome: 'refused', problem: 'Nobody is signed in: people decide in the inbox.' }
  try {
    const approval = answeredApproval(part)!
    const decision = decisionOf(approval, answerFor(given, { approvalId: approval.id, toolCallId, alone }))
    await gate.decide(request, decision, { by, version: request.version })
    return { ...about, outcome: 'decided' }
  } catch (error) {
    // Answers that are not allowed, late or malformed. A store that fails is no answer.
    if (!HoldpointError.isInstance(error) || error.retryable) throw error
    return { ...about, outcome: 'refused', problem: error.message }
  }
}
