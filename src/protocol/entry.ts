import { z } from 'zod'
import { actor, decision } from './decision.ts'
import { grant } from './grant.ts'
import type { CallKey } from './ids.ts'
import { assistantMessage, inputMessage, jsonObject, jsonValue, toolResult } from './message.ts'
import { allowedDecisions, onTimeouts, question, risks } from './request.ts'

/**
 * The facts that a thread's journal is made of. Every shape carries `v`; an older shape is upgraded when it is read
 * ({@link ./versions.ts}), never rewritten. Times are milliseconds since 1970, the store's.
 */
const v = z.literal(1)
const call = z.string() as unknown as z.ZodType<CallKey>
const time = z.number()

const usage = z.object({
  requests: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: z.number(),
})
/** What a run used of a model. */
export type Usage = z.infer<typeof usage>

const verdict = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow') }),
  z.object({ kind: z.literal('review') }),
  z.object({ kind: z.literal('deny'), reason: z.string() }),
  /** Never reached a policy: unknown tool, unparsable or invalid arguments. */
  z.object({ kind: z.literal('invalid'), problem: z.string() }),
])
/** What was judged of a call, once. */
export type Verdict = z.infer<typeof verdict>

const policyMark = z.object({
  name: z.string(),
  version: z.string(),
  verdict: z.enum(['allow', 'review', 'deny']),
  /** It was only recorded. */
  shadow: z.literal(true).exactOptional(),
})
/** What one policy said of a call, for the record. */
export type PolicyMark = z.infer<typeof policyMark>

const runOpened = z.object({
  v,
  type: z.literal('run.opened'),
  run: z.string(),
  agent: z.object({ id: z.string(), name: z.string(), version: z.string().exactOptional() }),
  input: z.array(inputMessage),
  context: jsonValue.exactOptional(),
  options: z.object({
    /** `null` means no limit. */
    maxTurns: z.number().nullable(),
    start: z.enum(['cleared', 'settled']),
    /** What happens when the model makes a call again that was rejected so often. */
    maxRejections: z.object({ limit: z.number(), action: z.enum(['end', 'escalate']) }).exactOptional(),
  }),
  /** The span in which the run began, for linking what happens in other processes. */
  trace: z.object({ traceId: z.string(), spanId: z.string() }).exactOptional(),
})

const inputAdded = z.object({ v, type: z.literal('input.added'), run: z.string(), input: z.array(inputMessage) })

const modelAnswered = z.object({
  v,
  type: z.literal('model.answered'),
  frame: z.string(),
  turn: z.number(),
  /** How many added inputs the model read for this answer. */
  read: z.number().exactOptional(),
  message: assistantMessage,
  usage: usage.exactOptional(),
})

/** A tool's definition, stored once per thread under its fingerprint. */
const toolDefined = z.object({
  v,
  type: z.literal('tool.defined'),
  definition: z.string(),
  name: z.string(),
  description: z.string(),
  parameters: jsonObject,
  annotations: jsonObject.exactOptional(),
})

/** What a call showed and depended on when it was judged: part of its digest. */
const facts = z.object({ preview: jsonValue.exactOptional(), preconditions: jsonValue.exactOptional() })

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

const callJudged = z.object({
  v,
  type: z.literal('call.judged'),
  call,
  /** The recorded arguments, when they are not just what the model sent (a default was filled in, say). */
  args: jsonObject.exactOptional(),
  definition: z.string().exactOptional(),
  facts: facts.exactOptional(),
  digest: z.string().exactOptional(),
  verdict,
  /** What each policy said. */
  policies: z.array(policyMark).exactOptional(),
  /** How people would have been asked, where a grant clears a call that does not start at once: the grant may be gone by then. */
  review: review.exactOptional(),
})

const requestOpened = z.object({
  v,
  type: z.literal('request.opened'),
  id: z.string(),
  questionId: z.string(),
  kind: z.enum(['approve', 'confirm', 'ask']),
  /** Absent when the application asks by itself, outside of any run. */
  run: z.string().exactOptional(),
  call: call.exactOptional(),
  /** Which of the questions of the call's body it is; absent when it is about the call itself. */
  ordinal: z.number().exactOptional(),
  /** It stands before the run's answer, which waits for it. */
  gate: z.literal(true).exactOptional(),
  agent: z.string(),
  path: z.array(z.string()),
  toolName: z.string().exactOptional(),
  toolCallId: z.string().exactOptional(),
  args: jsonObject.exactOptional(),
  definition: z.string().exactOptional(),
  digest: z.string().exactOptional(),
  description: z.string().exactOptional(),
  preview: jsonValue.exactOptional(),
  preconditions: jsonValue.exactOptional(),
  prompt: z.string().exactOptional(),
  details: jsonObject.exactOptional(),
  questions: z.array(question).exactOptional(),
  /** Empty for `confirm` and `ask`, which take an answer instead. */
  allowedDecisions,
  reason: z.string().exactOptional(),
  supersedes: z.string().exactOptional(),
  risk: z.enum(risks).exactOptional(),
  assignee: z.string().exactOptional(),
  reviewers: z.array(z.string()).exactOptional(),
  argsSchema: jsonObject.exactOptional(),
  onTimeout: z.enum(onTimeouts).exactOptional(),
  expiresAt: time.exactOptional(),
})

const requestDecided = z.object({
  v,
  type: z.literal('request.decided'),
  id: z.string(),
  call: call.exactOptional(),
  /** The version that this makes it. */
  version: z.number(),
  decision,
  by: actor,
  /** How long it can be withdrawn before it takes effect. */
  undoMs: z.number().exactOptional(),
  comment: z.string().exactOptional(),
})

/** The answer to a `confirm` or an `ask`. */
const requestAnswered = z.object({
  v,
  type: z.literal('request.answered'),
  id: z.string(),
  call: call.exactOptional(),
  version: z.number(),
  answer: jsonValue,
  by: actor,
})

const requestReopened = z.object({
  v,
  type: z.literal('request.reopened'),
  id: z.string(),
  call,
  version: z.number(),
  cause: z.enum(['withdrawn', 'edit_refused']),
  by: actor,
  problems: z.array(z.string()).exactOptional(),
})

const requestClosed = z.object({
  v,
  type: z.literal('request.closed'),
  id: z.string(),
  call: call.exactOptional(),
  version: z.number(),
  status: z.enum(['expired', 'cancelled', 'aborted', 'superseded']),
  by: actor,
  reason: z.string().exactOptional(),
})

/** Nobody answered in time, and it was passed on instead of being refused: it stays open, now without a deadline. */
const requestEscalated = z.object({
  v,
  type: z.literal('request.escalated'),
  id: z.string(),
  call: call.exactOptional(),
  version: z.number(),
  by: actor,
})

const grantCreated = z.object({ v, type: z.literal('grant.created'), grant })

/** Stored in the thread where it was given. */
const grantRevoked = z.object({
  v,
  type: z.literal('grant.revoked'),
  id: z.string(),
  by: actor,
  reason: z.string().exactOptional(),
})

/** The single-use right to run one exact call. `tool` and `args` are set when they are not the judged ones. */
const callReleased = z.object({
  v,
  type: z.literal('call.released'),
  call,
  digest: z.string(),
  tool: z.string().exactOptional(),
  definition: z.string().exactOptional(),
  args: jsonObject.exactOptional(),
  facts: facts.exactOptional(),
  by: actor,
  request: z.string().exactOptional(),
  /** What it takes of the cap of the grant that releases it. */
  amount: z.number().exactOptional(),
  /** How long after this entry it may be spent at the earliest. */
  delayMs: z.number().exactOptional(),
})

const callStarted = z.object({
  v,
  type: z.literal('call.started'),
  call,
  attempt: z.number(),
  /** Its body may be entered again: what has an effect is in steps. */
  resumable: z.literal(true).exactOptional(),
})

/** A step of a resumable body. One that was started and has no end makes the call's outcome unknown. */
const stepStarted = z.object({ v, type: z.literal('step.started'), call, name: z.string() })
const stepFinished = z.object({
  v,
  type: z.literal('step.finished'),
  call,
  name: z.string(),
  value: jsonValue.exactOptional(),
})

const callFinished = z.object({ v, type: z.literal('call.finished'), call, attempt: z.number(), result: toolResult })

const callRefused = z.object({
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
  result: toolResult,
})

/** A person had their word on the answer that waited behind a gate. */
const gatePassed = z.object({ v, type: z.literal('gate.passed'), run: z.string() })

const runSettled = z.object({
  v,
  type: z.literal('run.settled'),
  run: z.string(),
  status: z.enum(['completed', 'aborted']),
  /** Closes the history of an aborted run. */
  message: assistantMessage.exactOptional(),
  reason: z.string().exactOptional(),
})

/** One fact of a journal, as a schema: what an untrusted text must pass. */
export const entry = z.discriminatedUnion('type', [
  runOpened,
  inputAdded,
  modelAnswered,
  toolDefined,
  callJudged,
  requestOpened,
  requestDecided,
  requestAnswered,
  requestReopened,
  requestClosed,
  requestEscalated,
  grantCreated,
  grantRevoked,
  callReleased,
  callStarted,
  stepStarted,
  stepFinished,
  callFinished,
  callRefused,
  gatePassed,
  runSettled,
])
/** One fact of a journal. */
export type Entry = z.infer<typeof entry>
/** The entry of a given type. */
export type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>
