import { z } from 'zod'
import { lazy } from '../checks/lazy.ts'
import { actor } from '../decision.ts'
import { inputMessage, jsonObject, jsonValue, toolResult } from '../message.ts'
import { review } from '../request.ts'
import { agentRef, call, v } from './entry-parts.ts'

/** The verdict on a call. It is recorded once. */
const verdict = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('allow') }),
    z.object({ kind: z.literal('review') }),
    z.object({ kind: z.literal('deny'), reason: z.string() }),
    /** Never reached a policy: unknown tool, unparsable or invalid arguments. */
    z.object({ kind: z.literal('invalid'), problem: z.string() }),
  ]),
)
/** The verdict on a call. */
export type Verdict = z.infer<ReturnType<typeof verdict>>

/** One policy's verdict on a call, for the record. */
export const policyMark = lazy(() =>
  z.object({
    name: z.string(),
    version: z.string(),
    /** `failed` occurs only for a shadow policy: any other policy that fails stops the turn. */
    verdict: z.enum(['allow', 'review', 'deny', 'failed']),
    /** How it failed. */
    problem: z.string().exactOptional(),
    /** It was only recorded and had no effect. */
    shadow: z.literal(true).exactOptional(),
  }),
)
/** One policy's verdict on a call, for the record. */
export type PolicyMark = z.infer<ReturnType<typeof policyMark>>

/** A tool's definition, stored once per thread under its fingerprint. */
export const toolDefined = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('tool.defined'),
    definition: z.string(),
    name: z.string(),
    description: z.string(),
    parameters: jsonObject(),
    annotations: jsonObject().exactOptional(),
  }),
)

/** The preview and preconditions of a call when it was judged: part of its digest. */
const facts = lazy(() =>
  z.object({
    preview: jsonValue().exactOptional(),
    /** The part of the preview that is compared before the call runs, if not all of it. */
    previewCompare: jsonValue().exactOptional(),
    preconditions: jsonValue().exactOptional(),
  }),
)

/**
 * The arguments are exactly what the body gets. Calls recorded before this mark existed are parsed again before they
 * run.
 */
const asRun = lazy(() => z.literal(true).exactOptional())

/** A call that the model made, with its verdict. */
export const callJudged = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('call.judged'),
    call: call(),
    /** The recorded arguments, if they differ from what the model sent (e.g. a default was filled in). */
    args: jsonObject().exactOptional(),
    asRun: asRun(),
    /** The input that `args` were parsed from, if the schema does not accept its own output. An edit takes this form. */
    argsInput: jsonObject().exactOptional(),
    definition: z.string().exactOptional(),
    facts: facts().exactOptional(),
    digest: z.string().exactOptional(),
    verdict: verdict(),
    /** What each policy said. */
    policies: z.array(policyMark()).exactOptional(),
    /**
     * The review that people would have been asked for, if a grant clears a call that does not start at once. The grant
     * may be gone by then.
     */
    review: review().exactOptional(),
    /** It is a hand-off: it starts when all other calls of its turn are settled. */
    handoff: z.literal(true).exactOptional(),
  }),
)

/** The single-use right to run one exact call. `tool` and `args` are set if they differ from the judged call. */
export const callReleased = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('call.released'),
    call: call(),
    digest: z.string(),
    tool: z.string().exactOptional(),
    definition: z.string().exactOptional(),
    args: jsonObject().exactOptional(),
    asRun: asRun(),
    argsInput: jsonObject().exactOptional(),
    facts: facts().exactOptional(),
    /** What each policy said of an edited call. */
    policies: z.array(policyMark()).exactOptional(),
    by: actor(),
    request: z.string().exactOptional(),
    /** The amount to deduct from the cap of the grant that releases it. */
    amount: z.number().exactOptional(),
    /** The earliest time at which it may be spent, counted from this entry. */
    delayMs: z.number().exactOptional(),
  }),
)

/** The call's release was spent. */
export const callStarted = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('call.started'),
    call: call(),
    attempt: z.number(),
    /** What each policy said, if the call was judged again because a policy had changed. */
    policies: z.array(policyMark()).exactOptional(),
    /** Its body may be re-entered: everything with an effect is in steps. */
    resumable: z.literal(true).exactOptional(),
    /** It was handed over to its host, which runs it. Identifies who was told to. */
    handedOver: z.string().exactOptional(),
    /** It has no body but a nested run: a frame under the call's key. */
    frame: z
      .object({
        agent: agentRef(),
        input: z.array(inputMessage()),
        maxTurns: z.number().nullable(),
        /** The application's data for the nested run. Absent: that of the caller. */
        context: jsonValue().exactOptional(),
      })
      .exactOptional(),
  }),
)

/** A step of a resumable body was started. A step without an end makes the call's outcome unknown. */
export const stepStarted = lazy(() =>
  z.object({ v: v(), type: z.literal('step.started'), call: call(), name: z.string() }),
)

/** A step ended. */
export const stepFinished = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('step.finished'),
    call: call(),
    name: z.string(),
    value: jsonValue().exactOptional(),
  }),
)

/** A body ended. */
export const callFinished = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('call.finished'),
    call: call(),
    attempt: z.number(),
    result: toolResult(),
  }),
)

/** A call got its result without running. */
export const callRefused = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('call.refused'),
    call: call(),
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
    /** The grant or code that refused it. */
    by: actor().exactOptional(),
    /** What each policy said, if the call was judged again because a policy had changed. */
    policies: z.array(policyMark()).exactOptional(),
    result: toolResult(),
  }),
)
