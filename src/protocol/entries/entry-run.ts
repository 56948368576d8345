import { z } from 'zod'
import { actor } from '../decision.ts'
import { assistantMessage, inputMessage, jsonValue, message } from '../message.ts'
import { agentRef, usage, v } from './entry-parts.ts'

/** Input began a run. */
export const runOpened = z.object({
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

/** More input came in while the run was under way. */
export const inputAdded = z.object({
  v,
  type: z.literal('input.added'),
  run: z.string(),
  /** Absent for the root. */
  frame: z.string().exactOptional(),
  input: z.array(inputMessage),
})

/** A process that took the run up gave it other data of the application. With `replace`, decisions that were not acted on are withdrawn with it. */
export const contextReplaced = z.object({
  v,
  type: z.literal('context.replaced'),
  run: z.string(),
  strategy: z.enum(['merge', 'replace']),
  context: jsonValue.exactOptional(),
  toolInput: jsonValue.exactOptional(),
  /** From what on usage is counted; absent if it goes on as it was. */
  usage: usage.exactOptional(),
})

/** A model answered in a frame. */
export const modelAnswered = z.object({
  v,
  type: z.literal('model.answered'),
  frame: z.string(),
  turn: z.number(),
  /** How many added inputs the model read for this answer. */
  read: z.number().exactOptional(),
  message: assistantMessage,
  usage: usage.exactOptional(),
})

/** A model answered, and the answer was not taken: a rule failed, a guardrail tripped, somebody else was faster. It was paid for. */
export const modelDiscarded = z.object({
  v,
  type: z.literal('model.discarded'),
  run: z.string(),
  usage: usage.exactOptional(),
  /** The turn that it was; absent if somebody else has that turn. */
  turn: z.object({ frame: z.string(), number: z.number() }).exactOptional(),
})

/** A piece of what the next agent is shown of the conversation: messages of it by position (`to` is not included), or a new one. */
const shownPiece = z.union([z.object({ from: z.number(), to: z.number() }), message])
/** A piece of what the next agent is shown of the conversation. */
export type ShownPiece = z.infer<typeof shownPiece>

/** Another agent goes on in a frame. */
export const agentChanged = z.object({
  v,
  type: z.literal('agent.changed'),
  frame: z.string(),
  agent: agentRef,
  /** What it is shown instead of the whole conversation so far. */
  shown: z.array(shownPiece).exactOptional(),
})

/** A person had their word on the answer that waited behind a gate. */
export const gatePassed = z.object({
  v,
  type: z.literal('gate.passed'),
  run: z.string(),
  /** Absent for the root. */
  frame: z.string().exactOptional(),
})

/** A run came to its end. */
export const runSettled = z.object({
  v,
  type: z.literal('run.settled'),
  run: z.string(),
  status: z.enum(['completed', 'aborted']),
  /** Closes the history of an aborted run. */
  message: assistantMessage.exactOptional(),
  reason: z.string().exactOptional(),
})

/** How many of the messages that the run added are in its session. */
export const sessionWritten = z.object({ v, type: z.literal('session.written'), run: z.string(), count: z.number() })

/** A session that lives in a store has a thread of its own, made of these three. */
export const sessionAdded = z.object({
  v,
  type: z.literal('session.added'),
  items: z.array(message.and(z.object({ id: z.string().exactOptional() }))),
})

export const sessionPopped = z.object({ v, type: z.literal('session.popped') })

export const sessionCleared = z.object({ v, type: z.literal('session.cleared') })

/**
 * The body of an earlier entry was replaced, so that what it held is gone; the chain still verifies. `was` is the salted hash by which the body entered the
 * chain, `now` that of what stands there instead, with the salt that stands there: both SHA-256, in hexadecimal.
 */
export const erased = z.object({
  v,
  type: z.literal('erased'),
  entry: z.number(),
  was: z.string(),
  now: z.string(),
  by: actor,
  reason: z.string(),
})
