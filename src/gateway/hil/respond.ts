import type { z } from 'zod'
import type { Desk } from '../../desk/desk.ts'
import { errorCodes, HoldpointError } from '../../protocol/error-base.ts'
import { HilContentError, HitlNoPendingRequest, HitlStaleAnswer, RequestChanged } from '../../protocol/errors.ts'
import type { HilReply, respondRequest } from '../../protocol/hil.ts'
import { answerOfReply, type RepliedRequest, requestOnStream } from '../../protocol/hil-reply.ts'
import { isWellFormed } from '../../protocol/json.ts'
import { AGENT_ROLE, type Caller } from '../auth/auth.ts'
import type { Core } from '../core.ts'
import { errorFields } from '../log.ts'
import { NO_QUESTION, NO_STREAM, type Refusal, type Result, refuse } from '../refusal.ts'
import { findSession, type Session } from './session.ts'

const DONE = { ok: true, value: undefined } as const

/**
 * Answers a question. If it is a request of the store, the desk decides, and the question is taken away after that; else the reply goes
 * to whoever waits for it. Either way the first answer wins and every later one finds nothing.
 */
export async function respond(core: Core, caller: Caller, body: z.infer<typeof respondRequest>): Promise<Result<void>> {
  const found = await findSession(core, caller, body.session_task_id)
  if (!found.ok) return found
  const session = found.value
  if (caller.roles.includes(AGENT_ROLE)) return refuse(403, 'An agent may not answer what people are asked.')
  const { hil_msg_id: messageId, msg: reply } = body
  if (!isName(messageId)) return NO_QUESTION
  const desk = core.desk(caller.tenant)
  if (desk) {
    const asked = await findQuestion(session, messageId)
    if (!asked.ok) return asked
    if (asked.value) {
      const decided = await decideAtDesk({ core, desk, session }, { messageId, reply, request: asked.value })
      if (decided !== 'not here') return decided
    }
  }
  return answerOnStream(session, messageId, reply)
}

async function answerOnStream({ id, streams }: Session, messageId: string, reply: HilReply): Promise<Result<void>> {
  try {
    const outcome = await streams.answer(id, messageId, reply)
    switch (outcome) {
      case 'answered':
        return DONE
      case 'unknown':
        return NO_QUESTION
      case 'missing':
        return NO_STREAM
      default:
        return outcome satisfies never
    }
  } catch (error) {
    // What cannot be sent as it is, such as half a character.
    if (error instanceof HilContentError) return refuse(400, error.message)
    throw error
  }
}

/** Whether a text can be the id of a message at all; streams refuse to look for others. */
function isName(text: string): boolean {
  return text !== '' && text.length <= 200 && isWellFormed(text)
}

/** Whether a question is open, and the request that it is about if it is one. Nothing that the client says counts for that. */
async function findQuestion(session: Session, messageId: string): Promise<Result<RepliedRequest | undefined>> {
  const found = await session.streams.question(session.id, messageId)
  if (found.kind === 'missing') return NO_STREAM
  if (found.kind === 'unknown' || !('message' in found.question)) return NO_QUESTION
  const { message } = found.question
  return message.msg_type === 'HIL_interrupt_request'
    ? { ok: true, value: requestOnStream(message.content) }
    : NO_QUESTION
}

async function decideAtDesk(
  { core, desk, session: { id, streams, caller } }: { core: Core; desk: Desk; session: Session },
  given: { messageId: string; reply: HilReply; request: RepliedRequest },
): Promise<Result<void> | 'not here'> {
  const { request, messageId } = given
  try {
    const answer = answerOfReply(request, given.reply)
    const by = { kind: 'person', id: caller.sub, via: 'hil' } as const
    // What people were shown of a call must be what is stored of it: it is that which their yes lets run.
    if (request.kind !== 'approve') await desk.answer(request.id, answer, { by })
    else await desk.decide({ request: { id: request.id, ...request.shown }, decision: answer, by })
  } catch (error) {
    if (error instanceof HitlNoPendingRequest) {
      core.logger?.warn({ session: id, request: request.id }, 'a request on a stream is not in this store')
      return 'not here'
    }
    if (error instanceof RequestChanged)
      core.logger?.warn({ session: id, request: request.id }, 'a question showed another call than its request')
    if (error instanceof HitlStaleAnswer || error instanceof RequestChanged) {
      await streams.retract(id, messageId)
      return NO_QUESTION
    }
    const status = HoldpointError.isInstance(error) ? errorCodes[error.code].status : 500
    if (status !== 400 && status !== 403) throw error
    return refuse(status satisfies Refusal['status'], (error as Error).message)
  }
  // The answer stands, whatever becomes of the question: whoever reads the store finds it settled, and takes it off then.
  await streams.retract(id, messageId).catch((error: unknown) => {
    core.logger?.warn({ session: id, request: request.id, ...errorFields(error) }, 'a question was left on its stream')
  })
  return DONE
}
