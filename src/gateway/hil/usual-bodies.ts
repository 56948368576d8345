import type { z } from 'zod'
import { type pollRequest, replyTermNames, type respondRequest } from '../../protocol/hil/hil.ts'
import { isJson, type JsonObject } from '../../protocol/json/json.ts'

/*
 * The two bodies that clients send all the time, checked by hand: the schemas of shapes this small cost more than the rest of reading them. What is
 * accepted here, the schemas accept too, with the same result. Whatever is not accepted here is left to them; they say what is wrong with it, if anything.
 */

type PollBody = z.infer<ReturnType<typeof pollRequest>>
type RespondBody = z.infer<ReturnType<typeof respondRequest>>

const SESSION = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/
/** Numbers of up to 19 digits are below 2⁶⁴. */
const POSITION = /^\d{1,19}(?:-\d{1,19})?$/

/** A body of `POST /hil/poll` that surely fits. */
export function usualPoll(body: unknown): PollBody | undefined {
  if (!isObject(body)) return undefined
  const { session_task_id, timeout = 30, redis_last_id = '0' } = body
  if (typeof session_task_id !== 'string' || !SESSION.test(session_task_id)) return undefined
  if (!Number.isSafeInteger(timeout) || (timeout as number) < 0) return undefined
  if (typeof redis_last_id !== 'string' || !POSITION.test(redis_last_id)) return undefined
  return { session_task_id, timeout: timeout as number, redis_last_id }
}

/** A body of `POST /hil/respond` that surely fits, and has no terms. */
export function usualReply(body: unknown): RespondBody | undefined {
  if (!isObject(body) || replyTermNames().some((name) => name in body)) return undefined
  const { session_task_id, hil_msg_id, msg } = body
  if (typeof session_task_id !== 'string' || !SESSION.test(session_task_id)) return undefined
  if (typeof hil_msg_id !== 'string') return undefined
  if (typeof msg !== 'string' && !(isObject(msg) && isJson(msg))) return undefined
  return { session_task_id, hil_msg_id, msg: msg as string | JsonObject }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
