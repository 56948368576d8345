import { z } from 'zod'
import { actor } from '../decision.ts'
import { jsonObject, jsonValue } from '../message.ts'
import { storyItem } from './requests.ts'

const time = z.iso.datetime()

/** Which page of a list. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().exactOptional(),
})

/** Which threads. `stuck=true`: those that have something to do and are not driven, for operators and admins. */
export const threadQuery = pageQuery.extend({ stuck: z.enum(['true', 'false']).default('false') })

/** Why a thread that has something to do is not driven, and since when. */
const stuck = z.object({
  /** `dead`: driving it failed for good. `no_worker`: no live worker has its agent's version. `overdue`: nobody has taken it up. */
  reason: z.enum(['dead', 'no_worker', 'overdue']),
  agent: z.string().nullable(),
  version: z.string().nullable(),
  /** The other versions of its agent that live workers have: its run can be moved to them. */
  liveVersions: z.array(z.string().nullable()),
  since: time,
  tries: z.number(),
  error: z.object({ code: z.string().exactOptional(), message: z.string() }).exactOptional(),
})

/** A thread as lists show it. */
const threadItem = z.object({ id: z.string(), open: z.number(), lastAt: time, stuck: stuck.exactOptional() })
/** How a thread is tried again. With `version` its run moves to that version of its agent (`null`: the one without a version) for this reason. */
export const retryBody = z.union([
  z.strictObject({}),
  z.strictObject({ version: z.string().min(1).max(200).nullable(), reason: z.string().min(1).max(2000) }),
])
/** How a thread is tried again. */
export type RetryBody = z.infer<typeof retryBody>
/** What a retry of a thread came to. `false`: it has nothing to do. */
export const retryResult = z.object({ retried: z.boolean() })
/** Why a run is ended. */
export const abortBody = z.strictObject({ reason: z.string().trim().min(1).max(2000) })
/** What ending a run came to. `false`: there was nothing to end. */
export const abortResult = z.object({ aborted: z.boolean() })
/** A page of threads that have requests which the caller may see. */
export const threadPage = z.object({ threads: z.array(threadItem), next: z.string().exactOptional() })
/** A page of threads that have requests which the caller may see. */
export type ApiThreadPage = z.infer<typeof threadPage>
/** Which steps of a thread's story. Left out: the last ones; of a short thread all of them. */
export const storyQuery = z.strictObject({
  /** How many. A page may have a few more, since what belongs together is not divided, or fewer. */
  limit: z.coerce.number().int().min(1).max(200).exactOptional(),
  /** The steps before those of an answer: its `before`. */
  before: z.string().exactOptional(),
  /** The steps from there to the end, instead of a number of them: the `before` of an answer. Refused if they are far too many. */
  from: z.string().exactOptional(),
})
/** A thread with a page of its story. */
export const threadDetail = z.object({
  id: z.string(),
  /** How many entries its journal has. For those who may read the journal: it counts what others may not see. */
  version: z.number().exactOptional(),
  story: z.array(storyItem),
  /** How many steps came before those, if they were counted: those of a long thread are not. */
  earlier: z.number().exactOptional(),
  /** Where those before them are. Absent: there are none. */
  before: z.string().exactOptional(),
})
/** A thread with its story. */
export type ThreadDetail = z.infer<typeof threadDetail>
/** Entries of a journal, for operators, admins and auditors. */
export const journalPage = z.object({
  entries: z.array(z.object({ seq: z.number(), at: time, hash: z.string(), entry: jsonValue() })),
  next: z.number().exactOptional(),
})
/** Entries of a journal. */
export type ApiJournalPage = z.infer<typeof journalPage>

/** Which entries of a journal. */
export const journalQuery = z.strictObject({
  /** The number of the last entry that was read. */
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  /** The last entries, so many, instead of a page. */
  last: z.coerce.number().int().min(1).max(1000).exactOptional(),
})

/** A standing decision. */
export const grantItem = z.object({
  id: z.string(),
  status: z.enum(['active', 'used_up', 'expired', 'revoked']),
  threadId: z.string(),
  scope: z.string(),
  /** With scope `thread`: it covers the conversation of a host, not one thread. */
  inConversation: z.literal(true).exactOptional(),
  agent: z.string(),
  tool: z.string(),
  decision: z.enum(['approve', 'reject']),
  /** The request with which it was given. */
  request: z.string(),
  /** Patterns that arguments must match. */
  args: jsonObject().exactOptional(),
  uses: z.number().nullable(),
  used: z.number(),
  cap: z.number().nullable(),
  spent: z.number(),
  /** How `cap` and `spent` are written, if they are amounts of money. */
  money: z.object({ currency: z.string(), unit: z.enum(['minor', 'major']) }).exactOptional(),
  expiresAt: time.exactOptional(),
  createdAt: time,
  by: actor(),
  revoked: z.object({ by: actor(), at: time, reason: z.string().exactOptional() }).exactOptional(),
})
/** A standing decision. */
export type GrantItem = z.infer<typeof grantItem>
/** A page of standing decisions. */
export const grantPage = z.object({ grants: z.array(grantItem), next: z.string().exactOptional() })
/** A page of standing decisions. */
export type ApiGrantPage = z.infer<typeof grantPage>
/** The filters of a list of standing decisions. */
export const grantQuery = pageQuery.extend({
  /** Default: those in force. */
  status: z.enum(['active', 'all']).default('active'),
  thread: z.string().exactOptional(),
  agent: z.string().exactOptional(),
  tool: z.string().exactOptional(),
})
/** Ends a standing decision. */
export const revokeBody = z.strictObject({ reason: z.string().max(2000).exactOptional() })

/** What of the journals is exported. */
export const auditQuery = z.strictObject({
  /** Only this thread. */
  thread: z.string().exactOptional(),
  /** Only entries from this time on, and before that one. */
  from: time.exactOptional(),
  to: time.exactOptional(),
})
/** One line of the export. */
export const auditLine = z.object({
  thread: z.string(),
  seq: z.number(),
  at: time,
  hash: z.string(),
  entry: jsonValue(),
})
/** One line of the export. */
export type AuditLine = z.infer<typeof auditLine>
/** Which threads are checked. */
export const verifyQuery = z.strictObject({
  thread: z.string().exactOptional(),
  /** The `next` of the answer before. */
  after: z.string().exactOptional(),
})

/** The outcome of a check of the hash chains. */
export const verification = z.object({
  ok: z.boolean(),
  threads: z.number(),
  entries: z.number(),
  /** How many bodies were erased. Each is accounted for by a later entry. */
  erased: z.number(),
  /** Whether every head is signed. A store with an audit key has checked the signatures. */
  signed: z.boolean(),
  problems: z.array(z.object({ threadId: z.string(), problem: z.string() })),
  /** There are more threads: go on with `after`. */
  next: z.string().exactOptional(),
})
/** The outcome of a check of the hash chains. */
export type Verification = z.infer<typeof verification>

/** Which figures. */
export const figuresQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(90).default(7) })

/** Figures of some days about the requests that the caller may see. */
export const figures = z.object({
  days: z.number(),
  /** How many requests were looked at. With `more` there were more, and these are the newest. */
  counted: z.number(),
  more: z.boolean(),
  /** Seconds from opening to decision. */
  timeToDecide: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
  /** Seconds that open requests have waited. */
  queueAge: z.object({ open: z.number(), p50: z.number().nullable(), oldest: z.number().nullable() }),
  byTool: z.array(
    z.object({
      tool: z.string(),
      approved: z.number(),
      edited: z.number(),
      rejected: z.number(),
      responded: z.number(),
      expired: z.number(),
      p50: z.number().nullable(),
    }),
  ),
  byReviewer: z.array(z.object({ id: z.string(), decided: z.number(), p50: z.number().nullable() })),
  byHour: z.array(z.object({ at: time, opened: z.number(), decided: z.number(), expired: z.number() })),
})
/** Figures about requests and decisions. */
export type Figures = z.infer<typeof figures>

/** What can happen to a request. */
const requestEvents = [
  'opened',
  'decided',
  'reopened',
  'escalated',
  'expired',
  'cancelled',
  'aborted',
  'superseded',
  'assigned',
  'commented',
] as const
/** What happened to a request. */
export type RequestEvent = (typeof requestEvents)[number]

/** What a live event tells: load what it names, if you show it. */
const liveEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('request'),
    /** What happened to it. */
    what: z.enum(requestEvents),
    id: z.string(),
    version: z.number(),
  }),
  z.object({ type: z.literal('grant'), what: z.enum(['created', 'revoked']), id: z.string() }),
  /** Events were missed that are no longer kept: load everything again. */
  z.object({ type: z.literal('reset') }),
])
/** What a live event tells. */
export type LiveEvent = z.infer<typeof liveEvent>
