import { AnswerInvalid, DecisionInvalid } from '../errors/errors.ts'
import type { JsonValue } from '../json/json.ts'
import type { HitlRequest } from '../request.ts'
import type { HilInterruptContent, HilReply } from './hil.ts'

/** The forms of requests on a message stream. `detail` is the request; `tool_exec_uuid` is its id. */
export const requestForms = {
  approve: 'HoldpointApprove',
  confirm: 'HoldpointConfirm',
  ask: 'HoldpointAsk',
} as const satisfies Record<HitlRequest['kind'], string>

/** The fields of a request that are needed to read its reply, and the call as people saw it. */
export type RepliedRequest = Pick<HitlRequest, 'id' | 'questionId' | 'kind' | 'version' | 'questions'> & {
  shown: Pick<HitlRequest, 'digest' | 'toolName' | 'args'>
}

/** The request behind a question on a stream. `undefined` if the question is of another kind. */
export function requestOnStream({ body }: HilInterruptContent): RepliedRequest | undefined {
  const kind = (Object.keys(requestForms) as HitlRequest['kind'][]).find((each) => requestForms[each] === body.type)
  const { detail } = body
  if (!kind || typeof detail !== 'object' || detail === null || Array.isArray(detail)) return undefined
  const { questionId, version, questions, digest, toolName, args } = detail as Partial<HitlRequest>
  if (typeof questionId !== 'string' || typeof version !== 'number') return undefined
  const shown = { ...(digest && { digest }), ...(toolName && { toolName }), ...(args && { args }) }
  const asked = { id: body.tool_exec_uuid, questionId, kind, version, shown }
  return Array.isArray(questions) ? { ...asked, questions } : asked
}

const YES = ['approve', 'yes', 'true']
const NO = ['reject', 'no', 'false']

/**
 * Converts a reply to the answer that the desk takes: `{ decision }` for `approve`, `{ answer }` for `confirm` and
 * `ask`. Also accepts a bare decision, a plain yes or no, and a plain string for a form with one question. The desk
 * checks whether it fits the request.
 */
export function answerOfReply(request: Omit<RepliedRequest, 'shown'>, reply: HilReply): JsonValue {
  switch (request.kind) {
    case 'approve': {
      const given = typeof reply === 'string' ? reply : Object.hasOwn(reply, 'decision') ? reply.decision : reply
      if (typeof given === 'object' && given !== null && !Array.isArray(given)) checkReach(given.always)
      if (typeof given !== 'string') return given ?? null
      const yes = yesOrNo(given)
      if (yes === undefined)
        throw new AnswerInvalid(request.questionId, `'approve', 'reject' or { decision } is needed`)
      return { type: yes ? 'approve' : 'reject' }
    }
    case 'confirm': {
      const given = typeof reply === 'string' ? reply : reply.answer
      const yes = typeof given === 'string' ? yesOrNo(given) : given
      if (typeof yes !== 'boolean')
        throw new AnswerInvalid(request.questionId, `'yes', 'no' or { answer: true or false } is needed`)
      return yes
    }
    case 'ask': {
      const given = typeof reply === 'string' ? reply : reply.answer
      const [only, ...more] = request.questions ?? []
      if (typeof given === 'string' && only && more.length === 0)
        return { [only.key]: only.multiSelect ? [given] : given }
      if (typeof given === 'object' && given !== null) return given
      throw new AnswerInvalid(request.questionId, '{ answer } with an entry for each question is needed')
    }
    default:
      return request.kind satisfies never
  }
}

/** The scopes of a grant that stay in the thread of the question. */
const OWN_SCOPES: readonly unknown[] = [undefined, 'run', 'thread']

/**
 * Refuses a grant in a reply that would reach beyond its thread. The owner of a session is often a customer, who cannot approve the calls of
 * others one by one, and so not by a grant either.
 */
export function checkReach(always: JsonValue | undefined): void {
  if (typeof always !== 'object' || always === null || Array.isArray(always)) return
  if (OWN_SCOPES.includes(always.scope)) return
  throw new DecisionInvalid(
    "always.scope must be 'run' or 'thread' in a reply on a stream. Wider grants are given on a state, at a desk or on the command line.",
  )
}

function yesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : undefined
}
