import type { Decision, JsonObject } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import type { UiApproval } from './ui-message.ts'

/**
 * More than yes or no, in the body of the page's request (`holdpoint`): an edit, a response in place of the result, or the answer to a question. One
 * that names nothing is for the only call that the page has answered.
 */
export interface PageAnswer {
  /** The id of the approval that it is for. */
  approvalId?: string
  /** The call that it is for. */
  toolCallId?: string
  /** The request that it is for. For answers to `confirm` and `ask`. */
  requestId?: string
  type?: 'approve' | 'edit' | 'reject' | 'respond'
  args?: JsonObject
  message?: string
  /** The answer to a question that is no tool call. */
  answer?: unknown
}

const FIELDS = ['approvalId', 'toolCallId', 'requestId', 'type', 'args', 'message', 'answer']

/** Reads `holdpoint` of the body of the page's request. Throws `InputInvalid`. */
export function pageAnswers(given: unknown): PageAnswer[] {
  if (given === undefined || given === null) return []
  return (Array.isArray(given) ? given : [given]).map((one: unknown) => {
    if (typeof one !== 'object' || one === null) throw new InputInvalid('holdpoint in the body must be an object.')
    const unknown = Object.keys(one).find((key) => !FIELDS.includes(key))
    if (unknown !== undefined) throw new InputInvalid(`holdpoint in the body has no field "${unknown}".`)
    const ids = [(one as PageAnswer).approvalId, (one as PageAnswer).toolCallId, (one as PageAnswer).requestId]
    if (ids.some((id) => id !== undefined && typeof id !== 'string'))
      throw new InputInvalid('The ids of holdpoint in the body must be strings.')
    return one as PageAnswer
  })
}

/** The answer that belongs to a part. One without a name counts only if the page has answered one call. */
export function answerFor(
  answers: readonly PageAnswer[],
  { approvalId, toolCallId, alone }: { approvalId: string; toolCallId: string; alone: boolean },
): PageAnswer | undefined {
  const named = answers.find((one) => one.approvalId === approvalId || one.toolCallId === toolCallId)
  if (named) return named
  const unnamed = answers.find((one) => !one.approvalId && !one.toolCallId && !one.requestId)
  if (!unnamed || alone) return unnamed
  throw new InputInvalid('holdpoint in the body must name its approvalId: the page has answered several calls.')
}

/** What the page decided about a call. Throws `InputInvalid` if the part and the body contradict each other. */
export function decisionOf(approval: UiApproval & { approved: boolean }, answer: PageAnswer | undefined): Decision {
  const { approved, reason } = approval
  const { type = approved ? 'approve' : 'reject', args, message = reason } = answer ?? {}
  if (approved === (type === 'reject')) {
    throw new InputInvalid(`The page says ${approved ? 'approved' : 'denied'}, and the body says ${type}.`)
  }
  const why = message === undefined ? {} : { message }
  switch (type) {
    case 'approve':
      return { type }
    case 'reject':
      return { type, ...why }
    case 'edit':
      return { type, args: args ?? {}, ...why }
    case 'respond':
      return { type, message: message ?? '' }
    default:
      throw new InputInvalid(`holdpoint in the body has an unknown type: ${String(type satisfies never)}.`)
  }
}
