import { HitlNoPendingRequest } from '../../protocol/errors/errors.ts'
import type { HilInterruptContent, HilMessage } from '../../protocol/hil/hil.ts'
import { retraction } from '../../protocol/hil/hil-message.ts'
import { requestOnStream } from '../../protocol/hil/hil-reply.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { errorFields } from '../log.ts'
import type { VisibleSession } from './visible-session.ts'

/**
 * Whether the store says that a question's request is settled. If so, the question is retracted and the clients are told, even if the application that
 * asked is gone. If the store cannot tell, the question is shown: the desk checks every answer.
 */
export async function isSettled(parts: GatewayParts, session: VisibleSession, message: HilMessage): Promise<boolean> {
  const desk = parts.desk(session.caller.tenant)
  const request = message.msg_type === 'HIL_interrupt_request' && desk ? requestOnStream(message.content) : undefined
  if (!desk || !request || message.msg_type !== 'HIL_interrupt_request') return false
  const { msg_id: messageId, content, meta } = message
  try {
    const { status } = await desk.get(request.id)
    if (status === 'open') return false
    const notice = retraction({ messageId, content, reviewers: meta?.reviewers }, status)
    await session.streams.retract(session.id, messageId, { notice })
    return true
  } catch (error) {
    if (error instanceof HitlNoPendingRequest && (await isErased(parts, session, content))) {
      await session.streams.retract(session.id, messageId, {
        notice: retraction({ messageId, content, reviewers: meta?.reviewers }, 'erased'),
      })
      return true
    }
    if (!(error instanceof HitlNoPendingRequest))
      parts.logger?.warn(
        { session: session.id, ...errorFields(error) },
        'a question could not be compared with the store',
      )
    return false
  }
}

/** Whether the thread of a question was erased, so that its content must not stay on the stream. */
async function isErased(
  { store }: GatewayParts,
  { caller }: VisibleSession,
  { body: { detail } }: HilInterruptContent,
): Promise<boolean> {
  const { threadId } = Object(detail) as { threadId?: unknown }
  if (!store || typeof threadId !== 'string') return false
  return (await store.tenant(caller.tenant).readHead(threadId)).erased === true
}
