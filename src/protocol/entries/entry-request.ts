import { z } from 'zod'
import { lazy } from '../checks/lazy.ts'
import { actor, decision } from '../decision.ts'
import { grant } from '../grant.ts'
import { jsonValue } from '../message.ts'
import { requestContent } from '../request.ts'
import { spanLink } from '../trace-context.ts'
import { policyMark } from './entry-call.ts'
import { call, time, v } from './entry-parts.ts'

/** A request was opened. People see the fields of `requestContent`; the others are private to the journal. */
export const requestOpened = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('request.opened'),
    ...requestContent().shape,
    /** Absent if the application asks outside any run. */
    run: z.string().exactOptional(),
    call: call().exactOptional(),
    /** Its run is driven from outside: an answer wakes no driver. */
    driver: z.literal('external').exactOptional(),
    /** The number of the question within the call's body. Absent if the request is about the call itself. */
    ordinal: z.number().exactOptional(),
    /** It is a gate: the frame's answer waits for it. */
    gate: z.literal(true).exactOptional(),
    /** The frame of the gate, if not the root. */
    frame: z.string().exactOptional(),
    definition: z.string().exactOptional(),
    /** `args` are exactly what the body gets. */
    asRun: z.literal(true).exactOptional(),
    /** The part of the preview that is compared before the call runs, if not all of it. */
    previewCompare: jsonValue().exactOptional(),
    /** What each policy said, if the call was judged again because a policy had changed. */
    policies: z.array(policyMark()).exactOptional(),
    expiresAt: time().exactOptional(),
    /** The span of the wait for its answer. */
    trace: spanLink().exactOptional(),
  }),
)

/** The key that identifies a repeated answer, and the digest of that answer. Scoped to one person in one thread. */
const idempotency = lazy(() => z.object({ key: z.string(), content: z.string() }))

/** A person, a grant or a deadline decided an `approve` request. */
export const requestDecided = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('request.decided'),
    id: z.string(),
    call: call().exactOptional(),
    /** The request's version after this entry. */
    version: z.number(),
    decision: decision(),
    by: actor(),
    /** How long it can be withdrawn before it takes effect. */
    undoMs: z.number().exactOptional(),
    comment: z.string().exactOptional(),
    /** The `shown` of the request, if the door that it was decided at showed that. */
    shown: z.string().exactOptional(),
    idempotency: idempotency().exactOptional(),
    /** The span in which it was decided. */
    trace: spanLink().exactOptional(),
  }),
)

/** The answer to a `confirm` or an `ask`. */
export const requestAnswered = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('request.answered'),
    id: z.string(),
    call: call().exactOptional(),
    version: z.number(),
    answer: jsonValue(),
    by: actor(),
    comment: z.string().exactOptional(),
    idempotency: idempotency().exactOptional(),
    /** The span in which it was answered. */
    trace: spanLink().exactOptional(),
  }),
)

/** A request was reopened. */
export const requestReopened = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('request.reopened'),
    id: z.string(),
    /** Absent if the request is a gate. */
    call: call().exactOptional(),
    version: z.number(),
    cause: z.enum(['withdrawn', 'edit_refused']),
    by: actor(),
    problems: z.array(z.string()).exactOptional(),
  }),
)

/** A request was closed without an answer. */
export const requestClosed = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('request.closed'),
    id: z.string(),
    call: call().exactOptional(),
    version: z.number(),
    status: z.enum(['expired', 'cancelled', 'aborted', 'superseded']),
    by: actor(),
    reason: z.string().exactOptional(),
  }),
)

/** Nobody answered in time, and the request was escalated: it stays open, without a deadline. */
export const requestEscalated = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('request.escalated'),
    id: z.string(),
    call: call().exactOptional(),
    version: z.number(),
    by: actor(),
  }),
)

/** A comment on a request, in the thread of its notes. The model never reads it. */
export const requestCommented = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('request.commented'),
    id: z.string(),
    /** The version that was commented on. */
    version: z.number(),
    text: z.string(),
    by: actor(),
  }),
)

/** A request was assigned, in the thread of its notes. `null`: to nobody. */
export const requestAssigned = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('request.assigned'),
    id: z.string(),
    assignee: z.string().nullable(),
    /** How long it lasts. Absent: it has no end. */
    ttlMs: z.number().exactOptional(),
    by: actor(),
  }),
)

/** A grant was given. */
export const grantCreated = lazy(() => z.object({ v: v(), type: z.literal('grant.created'), grant: grant() }))

/** A grant was revoked. Stored in the thread where it was given. */
export const grantRevoked = lazy(() =>
  z.object({
    v: v(),
    type: z.literal('grant.revoked'),
    id: z.string(),
    by: actor(),
    reason: z.string().exactOptional(),
  }),
)
