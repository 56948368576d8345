import { z } from 'zod'
import { actor, decision } from './decision.ts'
import { grant } from './grant.ts'
import type { CallKey } from './ids.ts'
import { assistantMessage, inputMessage, jsonObject, jsonValue, message, toolResult } from './message.ts'
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

/** Which agent of the graph: its identity, and the fingerprint of its definition where names alone do not tell agents apart. */
const agentRef = z.object({ id: z.string(), fingerprint: z.string().exactOptional() })
/** Which agent of the graph. */
export type AgentRef = z.infer<typeof agentRef>

const runOpened = z.object({
  v,
  type: z.literal('run.opened'),
  run: z.string(),
  agent: z.object({ id: z.string(), name: z.string(), version: z.string().exactOptional() }),
  input: z.array(inputMessage),
  context: jsonValue.exactOptional(),
  /** The session that the run reads and adds to, and what the model reads of it before the input. */
  session: z.object({ id: z.string() }).exactOptional(),
  history: z.array(message).exactOptional(),
  options: z.object({
    /** `null` means no limit. */
    maxTurns: z.number().nullable(),
    start: z.enum(['cleared', 'settled']),
    /** What happens when the model makes a call again that was rejected so often. */
    maxRejections: z.object({ limit: z.number(), action: z.enum(['end', 'escalate']) }).exactOptional(),
    /** Guardrails of tools are asked before people are, too. */
    preApprovalInputGuardrails: z.literal(true).exactOptional(),
  }),
  /** The span in which the run began, for linking what happens in other processes. */
  trace: z.object({ traceId: z.string(), spanId: z.string() }).exactOptional(),
})

const inputAdded = z.object({
  v,
  type: z.literal('input.added'),
  run: z.string(),
  /** Absent for the root. */
  frame: z.string().exactOptional(),
  input: z.array(inputMessage),
})

/** A process that took the run up gave it other data of the application. With `replace`, decisions that were not acted on are withdrawn with it. */
const contextReplaced = z.object({
  v,
  type: z.literal('context.replaced'),
  run: z.string(),
  strategy: z.enum(['merge', 'replace']),
  context: jsonValue.exactOptional(),
  toolInput: jsonValue.exactOptional(),
  /** From what on usage is counted; absent if it goes on as it was. */
  usage: usage.exactOptional(),
})

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
  /** It passes the conversation on to another agent: it starts when everything else of its turn is settled. */
  handoff: z.literal(true).exactOptional(),
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
  /** It stands before the answer of a frame, which waits for it. */
  gate: z.literal(true).exactOptional(),
  /** The frame whose gate it is, if that is not the root. */
  frame: z.string().exactOptional(),
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
  /** Absent when it stands before the run's answer. */
  call: call.exactOptional(),
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
  /** It has no body but a run of its own: a frame under the call's key. */
  frame: z.object({ agent: agentRef, input: z.array(inputMessage), maxTurns: z.number().nullable() }).exactOptional(),
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

/** A piece of what the next agent is shown of the conversation: messages of it by position (`to` is not included), or a new one. */
const shownPiece = z.union([z.object({ from: z.number(), to: z.number() }), message])
/** A piece of what the next agent is shown of the conversation. */
export type ShownPiece = z.infer<typeof shownPiece>

/** Another agent goes on in a frame. */
const agentChanged = z.object({
  v,
  type: z.literal('agent.changed'),
  frame: z.string(),
  agent: agentRef,
  /** What it is shown instead of the whole conversation so far. */
  shown: z.array(shownPiece).exactOptional(),
})

/** A person had their word on the answer that waited behind a gate. */
const gatePassed = z.object({
  v,
  type: z.literal('gate.passed'),
  run: z.string(),
  /** Absent for the root. */
  frame: z.string().exactOptional(),
})

const runSettled = z.object({
  v,
  type: z.literal('run.settled'),
  run: z.string(),
  status: z.enum(['completed', 'aborted']),
  /** Closes the history of an aborted run. */
  message: assistantMessage.exactOptional(),
  reason: z.string().exactOptional(),
})

/** How many of the messages that the run added are in its session. */
const sessionWritten = z.object({ v, type: z.literal('session.written'), run: z.string(), count: z.number() })

/** A session that lives in a store has a thread of its own, made of these three. */
const sessionAdded = z.object({
  v,
  type: z.literal('session.added'),
  items: z.array(message.and(z.object({ id: z.string().exactOptional() }))),
})
const sessionPopped = z.object({ v, type: z.literal('session.popped') })
const sessionCleared = z.object({ v, type: z.literal('session.cleared') })

/** One fact of a journal, as a schema: what an untrusted text must pass. */
export const entry = z.discriminatedUnion('type', [
  runOpened,
  inputAdded,
  contextReplaced,
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
  agentChanged,
  gatePassed,
  runSettled,
  sessionWritten,
  sessionAdded,
  sessionPopped,
  sessionCleared,
])
/** One fact of a journal. */
export type Entry = z.infer<typeof entry>
/** The entry of a given type. */
export type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>
