import { z } from 'zod'
import { LONGEST_UNDO_SECONDS } from '../checks/durations.ts'
import { lazy } from '../checks/lazy.ts'
import { jsonObject, jsonValue } from '../message.ts'

/** A question to a person in another process: the exact JSON on the wire. */
export const interruptContent = lazy(() =>
  z.object({
    source: z.literal('agent_tool_call'),
    body: z.looseObject({
      tool_name: z.string(),
      /** The form to show, such as `ChoiceForm`. Application and client agree on the names. */
      type: z.string(),
      tool_exec_uuid: z.string(),
      detail: jsonValue(),
    }),
  }),
)
/** A question to a person in another process. */
export type HilInterruptContent = z.infer<ReturnType<typeof interruptContent>>

/** A question on the wire. `reply_schema` is the JSON Schema of the reply. Default: any reply. */
const wireQuestion = lazy(() =>
  z.object({
    msg_id: z.string(),
    msg_type: z.literal('HIL_interrupt_request'),
    content: interruptContent(),
    reply_schema: jsonObject().exactOptional(),
  }),
)
const wireNotification = lazy(() =>
  z.object({ msg_id: z.string(), msg_type: z.literal('Notification'), content: jsonObject() }),
)

/** A message as sent to clients. `msg_id` is a UUID. */
export const wireMessage = lazy(() => z.discriminatedUnion('msg_type', [wireQuestion(), wireNotification()]))
/** A message as sent to clients. */
export type WireMessage = z.infer<ReturnType<typeof wireMessage>>

/** Data that is stored with a message and never sent to clients. */
const messageMeta = lazy(() =>
  z.object({
    /** Reviewers that a policy named. They may see the message besides the session's owner. */
    reviewers: z.array(z.string()).exactOptional(),
    /** It is useless without the process that asked. A process that takes over the session retracts it. */
    transient: z.literal(true).exactOptional(),
  }),
)
const meta = lazy(() => ({ meta: messageMeta().exactOptional() }))

/** A message of a session. */
export const hilMessage = lazy(() =>
  z.discriminatedUnion('msg_type', [wireQuestion().extend(meta()), wireNotification().extend(meta())]),
)
/** A message of a session. */
export type HilMessage = z.infer<ReturnType<typeof hilMessage>>

/** A message without its private data. */
export function toWire(given: HilMessage): WireMessage {
  if (!('meta' in given)) return given
  const { meta: _hidden, ...message } = given
  return message
}

/** A person's reply: a string or an object. `''` and `{}` are valid. */
export const hilReply = lazy(() => z.union([z.string(), jsonObject()], 'must be a string or an object'))
/** A person's reply. */
export type HilReply = z.infer<ReturnType<typeof hilReply>>

/** The groups of somebody who replied. */
export const replyGroups = lazy(() => z.array(z.string()))

/** A session id of the gateway: a UUID of any version, with 36 characters. */
export const sessionId = lazy(() => z.guid('must be a UUID'))

const MAX_PART = 2n ** 64n - 1n

/**
 * A position in a session. `'0'` is the beginning; others come from reads. Two 64-bit numbers; the second may be left
 * out.
 */
export const streamPosition = lazy(() =>
  z
    .string()
    .refine(
      (text) => /^\d{1,20}(-\d{1,20})?$/.test(text) && text.split('-').every((part) => BigInt(part) <= MAX_PART),
      'must be "0" or a position from an earlier response',
    ),
)

/** The body of `POST /hil/poll`. */
export const pollRequest = lazy(() =>
  z.object({
    session_task_id: sessionId(),
    timeout: z.number().int().min(0).default(30),
    redis_last_id: streamPosition().default('0'),
  }),
)

/** The 200 response of `POST /hil/poll`. */
export const pollResponse = lazy(() => z.object({ redis_last_id: z.string(), HIL_msg: wireMessage() }))

/** What may go with an answer that the desk decides. */
const replyTerms = lazy(() => ({
  comment: z.string().exactOptional().describe('A note for the record, never shown to the model.'),
  always: z
    .union([z.boolean(), jsonObject()], 'must be a boolean or an object')
    .exactOptional()
    .describe('Also decides later calls: true, or { scope, args, uses, cap: { field, max }, expiresInSeconds }.'),
  undoSeconds: z
    .number()
    .min(0)
    .max(LONGEST_UNDO_SECONDS)
    .exactOptional()
    .describe('How long the decision can be withdrawn before it takes effect. At most an hour.'),
}))
/** The names of what may go with an answer that the desk decides. */
export const replyTermNames = lazy(() => Object.keys(replyTerms()) as (keyof ReturnType<typeof replyTerms>)[])

/** The body of `POST /hil/respond`. */
export const respondRequest = lazy(() =>
  z.object({
    session_task_id: sessionId(),
    hil_msg_id: z.string(),
    msg: hilReply(),
    ...replyTerms(),
  }),
)
