import { z } from 'zod'
import { jsonObject, jsonValue } from '../message.ts'

/** What an application asks a person in another process: the JSON on the wire, as it is. */
export const interruptContent = z.object({
  source: z.literal('agent_tool_call'),
  body: z.looseObject({
    tool_name: z.string(),
    /** Which form fits it, such as `ChoiceForm`: by agreement between application and client. */
    type: z.string(),
    tool_exec_uuid: z.string(),
    detail: jsonValue,
  }),
})
/** What an application asks a person in another process. */
export type HilInterruptContent = z.infer<typeof interruptContent>

/** A question on the wire. `reply_schema` is a JSON Schema that a reply must fit; left out, any reply is taken. */
const wireQuestion = z.object({
  msg_id: z.string(),
  msg_type: z.literal('HIL_interrupt_request'),
  content: interruptContent,
  reply_schema: jsonObject.exactOptional(),
})
const wireNotification = z.object({ msg_id: z.string(), msg_type: z.literal('Notification'), content: jsonObject })

/** A message as people's clients get it. `msg_id` is a UUID. */
export const wireMessage = z.discriminatedUnion('msg_type', [wireQuestion, wireNotification])
/** A message as people's clients get it. */
export type WireMessage = z.infer<typeof wireMessage>

/** What is stored beside a message and never sent to clients. */
const messageMeta = z.object({
  /** People beside the session's owner who may see it: the reviewers that a policy named. */
  reviewers: z.array(z.string()).exactOptional(),
  /** It is worth nothing without the process that asked: whoever takes the session over retracts it. */
  transient: z.literal(true).exactOptional(),
})
const meta = { meta: messageMeta.exactOptional() }

/** A message of a session. */
export const hilMessage = z.discriminatedUnion('msg_type', [wireQuestion.extend(meta), wireNotification.extend(meta)])
/** A message of a session. */
export type HilMessage = z.infer<typeof hilMessage>

/** A message without what is not for clients. */
export function toWire({ meta: _hidden, ...message }: HilMessage): WireMessage {
  return message
}

/** What a person answers: a string or an object, by agreement. `''` and `{}` are answers too. */
export const hilReply = z.union([z.string(), jsonObject], 'must be a string or an object')
/** What a person answers. */
export type HilReply = z.infer<typeof hilReply>

/** A session as the gateway knows it: a UUID of any version, as its 36 characters. */
export const sessionId = z.guid('must be a UUID')

const MAX_PART = 2n ** 64n - 1n

/** A place in a session: `'0'` is the beginning, the others are told by who reads. Two numbers of 64 bits, the second may be left out. */
export const streamPosition = z
  .string()
  .refine(
    (text) => /^\d{1,20}(-\d{1,20})?$/.test(text) && text.split('-').every((part) => BigInt(part) <= MAX_PART),
    'must be "0" or a position that was told before',
  )

/** The body of `POST /hil/poll`. */
export const pollRequest = z.object({
  session_task_id: sessionId,
  timeout: z.number().int().min(0).default(30),
  redis_last_id: streamPosition.default('0'),
})

/** What `POST /hil/poll` answers with 200. */
export const pollResponse = z.object({ redis_last_id: z.string(), HIL_msg: wireMessage })

/** The body of `POST /hil/respond`. */
export const respondRequest = z.object({ session_task_id: sessionId, hil_msg_id: z.string(), msg: hilReply })
