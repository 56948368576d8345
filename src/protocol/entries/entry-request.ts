import { z } from 'zod'
import { actor, decision } from '../decision.ts'
import { grant } from '../grant.ts'
import { jsonValue } from '../message.ts'
import { requestContent } from '../request.ts'
import { policyMark } from './entry-call.ts'
import { call, time, v } from './entry-parts.ts'

/** Somebody is asked. What people see of it is `requestContent`; the rest is the journal's own business. */
export const requestOpened = z.object({
  v,
  type: z.literal('request.opened'),
  ...requestContent.shape,
  /** Absent when the application asks by itself, outside of any run. */
  run: z.string().exactOptional(),
  call: call.exactOptional(),
  /** Which of the questions of the call's body it is; absent when it is about the call itself. */
  ordinal: z.number().exactOptional(),
  /** It stands before the answer of a frame, which waits for it. */
  gate: z.literal(true).exactOptional(),
  /** The frame whose gate it is, if that is not the root. */
  frame: z.string().exactOptional(),
  definition: z.string().exactOptional(),
  /** `args` are exactly what the body gets. */
  asRun: z.literal(true).exactOptional(),
  /** What of the preview is compared before the call runs, if that is not all of it. */
  previewCompare: jsonValue.exactOptional(),
  /** What each policy said, where the call was judged once more because a policy had changed. */
  policies: z.array(policyMark).exactOptional(),
  expiresAt: time.exactOptional(),
})

/** The key that makes a repeated answer recognisable, and the digest of what came with it. Counts for one person in one thread. */
const idempotency = z.object({ key: z.string(), content: z.string() })

/** A person, a grant or time decided an `approve` request. */
export const requestDecided = z.object({
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
  idempotency: idempotency.exactOptional(),
})

/** The answer to a `confirm` or an `ask`. */
export const requestAnswered = z.object({
  v,
  type: z.literal('request.answered'),
  id: z.string(),
  call: call.exactOptional(),
  version: z.number(),
  answer: jsonValue,
  by: actor,
  comment: z.string().exactOptional(),
  idempotency: idempotency.exactOptional(),
})

/** A request is open again. */
export const requestReopened = z.object({
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

/** A request was closed without an answer. */
export const requestClosed = z.object({
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
export const requestEscalated = z.object({
  v,
  type: z.literal('request.escalated'),
  id: z.string(),
  call: call.exactOptional(),
  version: z.number(),
  by: actor,
})

/** Somebody gave a standing decision. */
export const grantCreated = z.object({ v, type: z.literal('grant.created'), grant })

/** Stored in the thread where it was given. */
export const grantRevoked = z.object({
  v,
  type: z.literal('grant.revoked'),
  id: z.string(),
  by: actor,
  reason: z.string().exactOptional(),
})
