import { type Actor, type Decision, type Desk, type HitlRequest, HoldpointError } from '../../index.ts'
import { answerFor, decisionOf } from '../ai-sdk-page/page-answer.ts'
import { answeredApproval, toolPart } from '../ai-sdk-page/ui-message.ts'
import type { ChatPost } from './chat-request.ts'
import type { UiMessageChunk } from './chunk.ts'

/** Whose answers they are, and which requests they may be for. */
interface Answering {
  desk: Desk
  by: Actor
  threadId: string
}

/**
 * Takes the answers of a page as decisions of its user. An answer is for the request whose id it names, as it was shown; one for a request of another
 * conversation, or one that was settled meanwhile, is dropped. Resolves to what has to be said about answers that were not accepted.
 */
export async function takeAnswers(answering: Answering, { last, answers }: ChatPost): Promise<UiMessageChunk[]> {
  const tools = last.role === 'assistant' ? (last.parts ?? []).map(toolPart) : []
  const answered = tools.flatMap((part) => {
    const approval = part && answeredApproval(part)
    return approval ? [{ approval, toolCallId: part.toolCallId }] : []
  })
  const open = await Promise.all(
    answered.map(async (one) => ({ ...one, request: await find(answering, one.approval.id) })),
  )
  const mine = open.filter(({ request }) => request !== undefined)
  const problems: UiMessageChunk[] = []
  for (const { approval, toolCallId, request } of mine) {
    const names = { approvalId: approval.id, toolCallId, alone: mine.length === 1 }
    const version = (approval.descriptor as { version?: unknown } | undefined)?.version
    // A page that does not say what it has shown has shown the request as it was opened.
    const shown = { version: typeof version === 'number' ? version : 1 }
    problems.push(
      ...(await take(request!.id, async () => {
        const decision: Decision = decisionOf(approval, answerFor(answers, names))
        await answering.desk.decide({ request: request!.id, decision, by: answering.by, ...shown })
      })),
    )
  }
  for (const { requestId, answer } of answers) {
    const request = requestId === undefined ? undefined : await find(answering, requestId)
    if (request && answer !== undefined)
      problems.push(...(await take(request.id, () => answering.desk.answer(request.id, answer, { by: answering.by }))))
  }
  return problems
}

/** The open request of this conversation with this id. */
async function find({ desk, threadId }: Answering, id: string): Promise<HitlRequest | undefined> {
  const request = await desk.get(id).catch((error: unknown) => {
    if (HoldpointError.isInstance(error) && error.code === 'no_pending_request') return undefined
    throw error
  })
  return request?.threadId === threadId && request.status === 'open' ? request : undefined
}

async function take(requestId: string, decide: () => Promise<unknown>): Promise<UiMessageChunk[]> {
  try {
    await decide()
    return []
  } catch (error) {
    if (!HoldpointError.isInstance(error) || error.retryable) throw error
    return [{ type: 'data-holdpoint-problem', id: requestId, data: { requestId, problem: error.message } }]
  }
}
