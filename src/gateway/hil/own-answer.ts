import type { z } from 'zod'
import { mayWrite } from '../../core/access.ts'
import type { respondRequest } from '../../protocol/hil/hil.ts'
import { isJson, isWellFormed } from '../../protocol/json/json.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'

/** Whether a string can be a message id at all; streams throw for others. */
export function isMessageId(text: string): boolean {
  return text !== '' && text.length <= 200 && isWellFormed(text)
}

/**
 * The fast path of an answer: the owner of a session answers a question on which nothing else has a say, in one step of the streams. `undefined`: nothing was
 * done, and whether they may and why not is to be looked at. Only what would surely be accepted comes this way, so it refuses nothing by itself.
 */
export async function answerOwn(
  parts: GatewayParts,
  caller: Caller,
  { session_task_id: session, hil_msg_id: messageId, msg }: z.infer<ReturnType<typeof respondRequest>>,
): Promise<'answered' | 'unheard' | undefined> {
  const { tenant, sub: owner, groups } = caller
  const streams = parts.streams(tenant)
  // With a desk, a question may be a request that is decided there.
  if (!streams.answerOwn || parts.desk(tenant) || !mayWrite(caller)) return undefined
  if (!isMessageId(messageId) || !isJson(msg)) return undefined
  const outcome = await streams.answerOwn(session, messageId, { reply: msg, owner, groups })
  return outcome === 'look' ? undefined : outcome
}
