import type { z } from 'zod'
import { isAgent, mayWrite } from '../../core/access.ts'
import type { Desk } from '../../desk/desk.ts'
import type { StreamMessage } from '../../ports/streams.ts'
import { errorCodes, HoldpointError } from '../../protocol/errors/error-base.ts'
import { HilContentError, HitlNoPendingRequest, HitlStaleAnswer, RequestChanged } from '../../protocol/errors/errors.ts'
import type { GrantOptions } from '../../protocol/grant.ts'
import { type HilMessage, replyTermNames, respondRequest } from '../../protocol/hil/hil.ts'
import { retraction } from '../../protocol/hil/hil-message.ts'
import { answerOfReply, checkReach, type RepliedRequest, requestOnStream } from '../../protocol/hil/hil-reply.ts'
import { compileSchema } from '../../schema/compile.ts'
import { actorOf, type Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { check } from '../http/body.ts'
import { errorFields } from '../log.ts'
import { NO_QUESTION, NO_STREAM, type Refusal, type Result, refuse } from '../refusal.ts'
import { answerOwn, isMessageId } from './own-answer.ts'
import { readSessionId } from './session-id.ts'
import { usualReply } from './usual-bodies.ts'
import { findWithQuestion, maySee, type VisibleSession } from './visible-session.ts'

/** An accepted answer. `unheard`: it is stored on its stream, but nobody waits for it right now. */
export type Taken = 'taken' | 'unheard'

const TAKEN = { ok: true, value: 'taken' } as const
const UNHEARD = { ok: true, value: 'unheard' } as const

type Question = Extract<HilMessage, { msg_type: 'HIL_interrupt_request' }>
type Given = z.infer<ReturnType<typeof respondRequest>>

/**
 * Answers a question. If it is a request in the store, the desk decides, and the question is retracted after that; else the reply goes to whoever waits
 * for it. Either way the first answer wins, later ones find no question, and the other clients are told.
 */
export async function respond(parts: GatewayParts, who: Answerer, body: unknown): Promise<Result<Taken>> {
  const { caller, traceparent } = who
  const usual = usualReply(body)
  const own = usual && (await answerOwn(parts, caller, usual))
  if (own) return own === 'unheard' ? UNHEARD : TAKEN
  const id = usual ? { ok: true as const, value: usual.session_task_id } : readSessionId(body)
  if (!id.ok) return id
  const messageId = usual && isMessageId(usual.hil_msg_id) ? usual.hil_msg_id : undefined
  const found = await findWithQuestion(parts, caller, { session: id.value, question: messageId })
  if (!found.ok) return found
  const { session, question: looked } = found.value
  const given = usual ? { ok: true as const, value: usual } : check(respondRequest(), body)
  if (!given.ok) return given
  if (isAgent(caller)) return refuse(403, 'An agent may not answer what people are asked.')
  if (!mayWrite(caller)) return refuse(403, 'An auditor reads, and answers nothing.')
  const question = looked ? toQuestion(session, looked) : await findQuestion(session, given.value.hil_msg_id)
  if (!question.ok) return question
  return await settle(parts, { session, question: question.value }, { given: given.value, traceparent })
}

/** Who answers. */
interface Answerer {
  caller: Caller
  traceparent?: string | undefined
}

/** An open question that the caller may answer. */
interface Asked {
  session: VisibleSession
  question: Question
}

async function settle(
  parts: GatewayParts,
  { session, question }: Asked,
  { given, traceparent }: { given: Given; traceparent: string | undefined },
): Promise<Result<Taken>> {
  const desk = parts.desk(session.caller.tenant)
  const request = desk && requestOnStream(question.content)
  if (desk && request) {
    const decided = await decideAtDesk({ parts, desk, session }, { ...given, question, request, traceparent })
    if (decided !== 'not here') return decided
  }
  // A reviewer may answer only at the desk, which checks reviewers, or through the application.
  if (session.sees === 'named') return NO_QUESTION
  const unused = replyTermNames().filter((name) => given[name] !== undefined)
  return unused.length > 0 ? noDesk(unused) : await answerOnStream(session, question, given)
}

const noDesk = (unused: readonly string[]) =>
  refuse(
    400,
    `${unused.join(', ')}: only for requests that are decided in the gateway's store. This question is answered on its stream, which has no place for it. The question stays open.`,
  )

async function answerOnStream(session: VisibleSession, question: Question, { msg }: Given): Promise<Result<Taken>> {
  const problems = misfits(question, msg)
  if (problems.length > 0)
    return refuse(400, `The answer does not fit: ${problems.join('; ')}. The question stays open.`)
  try {
    // Progress slots of remote tools are never shown.
    const shown = question.content.body.type !== 'RemoteToolProgress'
    const notice = shown ? { notice: overNotice(question, 'answered') } : {}
    const { sub: by, groups } = session.caller
    const options = { ...notice, by, groups, listeners: true }
    const outcome = await session.streams.answer(session.id, question.msg_id, msg, options)
    switch (outcome) {
      case 'answered':
        return TAKEN
      case 'unheard':
        return UNHEARD
      case 'unknown':
        return NO_QUESTION
      case 'missing':
        return NO_STREAM
      default:
        return outcome satisfies never
    }
  } catch (error) {
    // For example a lone surrogate.
    if (error instanceof HilContentError) return refuse(400, error.message)
    throw error
  }
}

/** Problems of an answer by the schema that came with its question. If the schema cannot be compiled, the asker checks the answer. */
function misfits({ reply_schema: schema }: Question, msg: Given['msg']): string[] {
  const compiled = schema && compileSchema(schema)
  return compiled?.ok ? compiled.problems(msg) : []
}

function overNotice({ msg_id: messageId, content, meta }: Question, reason: string): HilMessage {
  return retraction({ messageId, content, reviewers: meta?.reviewers }, reason)
}

/** The open question, if it is for the caller. Its content comes from the stream, never from the client. */
async function findQuestion(session: VisibleSession, messageId: string): Promise<Result<Question>> {
  if (!isMessageId(messageId)) return NO_QUESTION
  const found = await session.streams.question(session.id, messageId)
  if (found.kind === 'missing') return NO_STREAM
  return found.kind === 'unknown' ? NO_QUESTION : toQuestion(session, found.question)
}

function toQuestion(session: VisibleSession, found: StreamMessage): Result<Question> {
  if (!('message' in found)) return NO_QUESTION
  const { message } = found
  const isTheirs = message.msg_type === 'HIL_interrupt_request' && maySee(session, message)
  return isTheirs ? { ok: true, value: message } : NO_QUESTION
}

function termsOf({ comment, always, undoSeconds }: Given) {
  return {
    ...(comment === undefined ? {} : { comment }),
    // The desk checks what it says.
    ...(always === undefined ? {} : { always: always as boolean | GrantOptions }),
    ...(undoSeconds === undefined ? {} : { undoSeconds }),
  }
}

async function decideAtDesk(
  { parts, desk, session: { id, streams, caller } }: { parts: GatewayParts; desk: Desk; session: VisibleSession },
  given: Given & { question: Question; request: RepliedRequest; traceparent: string | undefined },
): Promise<Result<Taken> | 'not here'> {
  const { request, question, traceparent } = given
  const takeOff = (reason: string) => streams.retract(id, question.msg_id, { notice: overNotice(question, reason) })
  try {
    const answer = answerOfReply(request, given.msg)
    checkReach(given.always)
    const by = actorOf(caller, 'hil')
    // What people were shown must be what is stored: that is what an approval runs.
    const terms = { by, ...termsOf(given), traceparent }
    if (request.kind !== 'approve') await desk.answer(request.id, answer, terms)
    else await desk.decide({ request: { id: request.id, ...request.shown }, decision: answer, ...terms })
  } catch (error) {
    if (error instanceof HitlNoPendingRequest) {
      parts.logger?.warn({ session: id, request: request.id }, 'a request on a stream is not in this store')
      return 'not here'
    }
    if (error instanceof RequestChanged)
      parts.logger?.warn({ session: id, request: request.id }, 'a question showed another call than its request')
    if (error instanceof HitlStaleAnswer || error instanceof RequestChanged) {
      await takeOff(error instanceof HitlStaleAnswer ? 'decided' : 'superseded')
      return NO_QUESTION
    }
    const status = HoldpointError.isInstance(error) ? errorCodes[error.code].status : 500
    if (status !== 400 && status !== 403) throw error
    return refuse(status satisfies Refusal['status'], (error as Error).message)
  }
  // The decision stands even if this fails: the next comparison of the question with the store retracts it.
  await takeOff('decided').catch((error: unknown) => {
    parts.logger?.warn({ session: id, request: request.id, ...errorFields(error) }, 'a question was left on its stream')
  })
  return TAKEN
}
