import { z } from 'zod'
import { lazy } from '../checks/lazy.ts'
import { actor } from '../decision.ts'
import { assistantMessage, inputMessage, jsonValue, message } from '../message.ts'
import { spanLink } from '../trace-context.ts'
import { agentRef, guardrailResult, usage, v } from './entry-parts.ts'

/** The agent of a run, with its version if it has one. */
const runAgent = lazy(() => z.object({ id: z.string(), name: z.string(), version: z.string().exactOptional() }))

/** The host of a call that comes from outside: another agent framework, a protocol client, a coding agent. */
const host = lazy(() =>
  z.object({
    source: z.string(),
    /** Its own name of the conversation. */
    conversation: z.string(),
    /** Its own id of the call. */
    call: z.string().exactOptional(),
    principal: z.string().exactOptional(),
    /** The id of the record that leads to this thread. It is removed when the thread is erased. */
    slot: z.string().exactOptional(),
  }),
)

/** A run was opened by input, or by a call from outside. */
export const runOpened = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('run.opened'),
    run: z.string(),
    agent: runAgent(),
    /** Its one call comes from outside, and the run goes on only when its host asks for that. Absent: the loop drives it. */
    driver: z.literal('external').exactOptional(),
    host: host().exactOptional(),
    input: z.array(inputMessage()),
    context: jsonValue().exactOptional(),
    /** The run's session, which the model reads before the input and the run adds to. */
    session: z.object({ id: z.string() }).exactOptional(),
    history: z.array(message()).exactOptional(),
    options: z.object({
      /** `null` means no limit. */
      maxTurns: z.number().nullable(),
      start: z.enum(['cleared', 'settled']),
      /** The action when the model repeats a call that was rejected `limit` times. */
      maxRejections: z.object({ limit: z.number(), action: z.enum(['end', 'escalate']) }).exactOptional(),
      /** Tool guardrails also run before people are asked. */
      preApprovalInputGuardrails: z.literal(true).exactOptional(),
      /** How many bodies may run at the same time. Absent: no limit. */
      maxFunctionToolConcurrency: z.number().exactOptional(),
    }),
    /** The span in which the run began. Spans of other processes are put below it. */
    trace: spanLink().exactOptional(),
  }),
)

/** More input arrived during the run. */
export const inputAdded = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('input.added'),
    run: z.string(),
    /** Absent for the root. */
    frame: z.string().exactOptional(),
    input: z.array(inputMessage()),
    /** The engine wrote it: it stays when staged input is cleared. */
    note: z.literal(true).exactOptional(),
  }),
)

/** The staged input that the model of the root has not read was cleared. */
export const inputCleared = lazy(() => z.object({ v: v(), type: z.literal('input.cleared'), run: z.string() }))

/**
 * A resuming process gave the run new application data. With `replace`, decisions that were not acted on are withdrawn
 * too.
 */
export const contextReplaced = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('context.replaced'),
    run: z.string(),
    strategy: z.enum(['merge', 'replace']),
    context: jsonValue().exactOptional(),
    toolInput: jsonValue().exactOptional(),
    /** The new start of the usage count. Absent: counting continues. */
    usage: usage().exactOptional(),
  }),
)

/** An operator moved the run to another version of its agent. Calls that have not started are judged again first. */
export const runMoved = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('run.moved'),
    run: z.string(),
    agent: runAgent(),
    by: actor(),
    reason: z.string(),
  }),
)

/** A model answered in a frame. */
export const modelAnswered = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('model.answered'),
    frame: z.string(),
    turn: z.number(),
    /** How many added inputs the model read for this answer. */
    read: z.number().exactOptional(),
    message: assistantMessage(),
    usage: usage().exactOptional(),
    /** No model was asked: the agent's `toolUseBehavior` made the answer of the results. It does not count as a turn. */
    byTools: z.literal(true).exactOptional(),
    /** What the agent's guardrails returned in this turn. */
    guardrails: z.array(guardrailResult()).exactOptional(),
  }),
)

/**
 * A model's answer was discarded: a rule failed, a guardrail tripped, or another process was faster. Its usage counts.
 */
export const modelDiscarded = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('model.discarded'),
    run: z.string(),
    usage: usage().exactOptional(),
    /** The turn that it took. Absent if another process has that turn, or no model was asked. */
    turn: z.object({ frame: z.string(), number: z.number() }).exactOptional(),
    /** What the agent's guardrails returned, if one of them tripped. */
    guardrails: z.array(guardrailResult()).exactOptional(),
  }),
)

/**
 * A piece of the conversation that the next agent sees: a range of existing messages (`to` is exclusive), or a new
 * message.
 */
const shownPiece = lazy(() => z.union([z.object({ from: z.number(), to: z.number() }), message()]))
/** A piece of the conversation that the next agent sees. */
export type ShownPiece = z.infer<ReturnType<typeof shownPiece>>

/** Another agent continues in a frame. */
export const agentChanged = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('agent.changed'),
    frame: z.string(),
    agent: agentRef(),
    /** The conversation that it sees instead of the whole one. */
    shown: z.array(shownPiece()).exactOptional(),
  }),
)

/** The answer behind a gate was decided. */
export const gatePassed = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('gate.passed'),
    run: z.string(),
    /** Absent for the root. */
    frame: z.string().exactOptional(),
  }),
)

/** A run ended. */
export const runSettled = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('run.settled'),
    run: z.string(),
    status: z.enum(['completed', 'aborted']),
    /** Ends the history of an aborted run. */
    message: assistantMessage().exactOptional(),
    /** Who aborted it, and why. */
    by: actor().exactOptional(),
    reason: z.string().exactOptional(),
  }),
)

/** How many of the run's messages its session holds. */
export const sessionWritten = lazy(() =>
  z.object({ v: v(), type: z.literal('session.written'), run: z.string(), count: z.number() }),
)

/** A session in a store has a thread of its own, made of these three entry types. */
export const sessionAdded = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('session.added'),
    items: z.array(message().and(z.object({ id: z.string().exactOptional() }))),
  }),
)

export const sessionPopped = lazy(() => z.object({ v: v(), type: z.literal('session.popped') }))

export const sessionCleared = lazy(() => z.object({ v: v(), type: z.literal('session.cleared') }))

/**
 * The body of an earlier entry was replaced, so that its content is gone. The chain still verifies. `was` is the salted
 * hash by which the body entered the chain; `now` is that of the replacement, with its salt. Both are SHA-256 in
 * hexadecimal. A replaced body has this type too, and no other field.
 */
export const erased = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('erased'),
    entry: z.number(),
    was: z.string(),
    now: z.string(),
    by: actor(),
    reason: z.string(),
  }),
)

/** The content of a thread of this tenant was erased. These entries are a thread of their own, `~erasures`. */
export const threadErased = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('thread.erased'),
    thread: z.string(),
    /** How many of its entries were replaced, and how many requests were removed. */
    entries: z.number(),
    requests: z.number(),
    /** A time of the store. */
    erasedAt: z.number(),
    by: actor(),
    reason: z.string(),
  }),
)
