import { z } from 'zod'
import { actor } from '../decision.ts'
import { inputMessage, jsonObject, jsonValue, toolResult } from '../message.ts'
import { allowedDecisions, risks } from '../request.ts'
import { agentRef, call, v } from './entry-parts.ts'

/** What was judged of a call, once. */
const verdict = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow') }),
  z.object({ kind: z.literal('review') }),
  z.object({ kind: z.literal('deny'), reason: z.string() }),
  /** Never reached a policy: unknown tool, unparsable or invalid arguments. */
  z.object({ kind: z.literal('invalid'), problem: z.string() }),
])
/** What was judged of a call, once. */
export type Verdict = z.infer<typeof verdict>

/** What one policy said of a call, for the record. */
export const policyMark = z.object({
  name: z.string(),
  version: z.string(),
  /** Only a shadow policy can fail and leave a record: any other one stops the turn. */
  verdict: z.enum(['allow', 'review', 'deny', 'failed']),
  /** How it failed. */
  problem: z.string().exactOptional(),
  /** It was only recorded. */
  shadow: z.literal(true).exactOptional(),
})
/** What one policy said of a call, for the record. */
export type PolicyMark = z.infer<typeof policyMark>

/** A tool's definition, stored once per thread under its fingerprint. */
export const toolDefined = z.object({
  v,
  type: z.literal('tool.defined'),
  definition: z.string(),
  name: z.string(),
  description: z.string(),
  parameters: jsonObject,
  annotations: jsonObject.exactOptional(),
})

/** What a call showed and depended on when it was judged: part of its digest. */
const facts = z.object({
  preview: jsonValue.exactOptional(),
  /** What of the preview is compared before the call runs, if that is not all of it. */
  previewCompare: jsonValue.exactOptional(),
  preconditions: jsonValue.exactOptional(),
})

/** Arguments are exactly what the body gets. Calls that were judged before there was this mark are parsed once more before they run. */
const asRun = z.literal(true).exactOptional()

/** What a request about a call says beside the call. */
const review = z.object({
  allowedDecisions,
  description: z.string().exactOptional(),
  risk: z.enum(risks).exactOptional(),
  reviewers: z.array(z.string()).exactOptional(),
  argsSchema: jsonObject.exactOptional(),
})
/** What a request about a call says beside the call. */
export type Review = z.infer<typeof review>

/** A call that the model made, with the verdict on it. */
export const callJudged = z.object({
  v,
  type: z.literal('call.judged'),
  call,
  /** The recorded arguments, when they are not just what the model sent (a default was filled in, say). */
  args: jsonObject.exactOptional(),
  asRun,
  /** What the schema made `args` of, if it does not accept its own output: an edit takes this form. */
  argsInput: jsonObject.exactOptional(),
  definition: z.string().exactOptional(),
  facts: facts.exactOptional(),
  digest: z.string().exactOptional(),
  verdict,
  /** What each policy said. */
  policies: z.array(policyMark).exactOptional(),
  /** How people would have been asked, where a grant clears a call that does not start at once: the grant may be gone by then. */
  review: review.exactOptional(),
  /** It passes the conversation on to another agent: it starts when everything else of its turn is settled. */
  handoff: z.literal(true).exactOptional(),
})

/** The single-use right to run one exact call. `tool` and `args` are set when they are not the judged ones. */
export const callReleased = z.object({
  v,
  type: z.literal('call.released'),
  call,
  digest: z.string(),
  tool: z.string().exactOptional(),
  definition: z.string().exactOptional(),
  args: jsonObject.exactOptional(),
  asRun,
  argsInput: jsonObject.exactOptional(),
  facts: facts.exactOptional(),
  /** What each policy said of an edited call. */
  policies: z.array(policyMark).exactOptional(),
  by: actor,
  request: z.string().exactOptional(),
  /** What it takes of the cap of the grant that releases it. */
  amount: z.number().exactOptional(),
  /** How long after this entry it may be spent at the earliest. */
  delayMs: z.number().exactOptional(),
})

/** A release was spent. */
export const callStarted = z.object({
  v,
  type: z.literal('call.started'),
  call,
  attempt: z.number(),
  /** What each policy said, where the call was judged once more because a policy had changed. */
  policies: z.array(policyMark).exactOptional(),
  /** Its body may be entered again: what has an effect is in steps. */
  resumable: z.literal(true).exactOptional(),
  /** It has no body but a run of its own: a frame under the call's key. */
  frame: z.object({ agent: agentRef, input: z.array(inputMessage), maxTurns: z.number().nullable() }).exactOptional(),
})

/** A step of a resumable body. One that was started and has no end makes the call's outcome unknown. */
export const stepStarted = z.object({ v, type: z.literal('step.started'), call, name: z.string() })

/** What a step came to. */
export const stepFinished = z.object({
  v,
  type: z.literal('step.finished'),
  call,
  name: z.string(),
  value: jsonValue.exactOptional(),
})

/** A body came to its end. */
export const callFinished = z.object({
  v,
  type: z.literal('call.finished'),
  call,
  attempt: z.number(),
  result: toolResult,
})

/** A call got its result without running. */
export const callRefused = z.object({
  v,
  type: z.literal('call.refused'),
  call,
  cause: z.enum([
    'rejected',
    'responded',
    'denied',
    'invalid',
    'expired',
    'cancelled',
    'aborted',
    'superseded',
    'unknown',
  ]),
  /** The grant that refused it, or the code. */
  by: actor.exactOptional(),
  /** What each policy said, where the call was judged once more because a policy had changed. */
  policies: z.array(policyMark).exactOptional(),
  result: toolResult,
})
