import { z } from 'zod'
import { jsonObject, jsonValue } from '../message.ts'

const name = z.string().min(1).max(200)

/** A tool call of an agent that runs elsewhere. On whose behalf it is made, the credential says. */
const gateCall = z.strictObject({
  threadId: z.string().min(1),
  callId: z.string().min(1).exactOptional(),
  useId: z.string().min(1).exactOptional(),
  toolName: z.string().min(1),
  args: jsonObject(),
  context: jsonObject().exactOptional(),
})

/** Asks about a call. `source` is the kind of host, such as `claude-code`. */
export const gateAsk = z.strictObject({ source: name, call: gateCall })

/** Waits until a call is decided, or the time is over. */
export const gateWait = gateAsk.extend({ timeoutSeconds: z.number().min(0).max(60) })

/** Says how a call ended that was handed over. */
export const gateEnd = gateAsk.extend({
  end: z.union([z.strictObject({ result: jsonValue() }), z.strictObject({ error: z.string() })]),
})

/** The state of a call, as far as its agent is told. Of a request it learns the id only. */
export const gateAnswer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('free') }),
  z.object({ status: z.literal('held'), request: z.string() }),
  z.object({ status: z.literal('released'), args: jsonObject() }),
  z.object({ status: z.literal('refused'), message: z.string(), isError: z.boolean() }),
  z.object({ status: z.literal('finished') }),
  z.object({ status: z.literal('unknown'), request: z.string().exactOptional() }),
])
/** The state of a call, as far as its agent is told. */
export type GateAnswer = z.infer<typeof gateAnswer>
