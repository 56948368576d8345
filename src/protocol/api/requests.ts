import { z } from 'zod'
import { LONGEST_UNDO_SECONDS } from '../checks/durations.ts'
import { actor, decision } from '../decision.ts'
import { display } from '../display.ts'
import { policyMark } from '../entries/entry-call.ts'
import { grantScopes } from '../grant.ts'
import { jsonObject, jsonValue } from '../message.ts'
import { requestContent, requestStatuses, risks } from '../request.ts'

const time = z.iso.datetime()

/** Who has taken a request. It decides nothing; after `until` it counts no more. */
const assignment = z.object({ id: z.string(), until: time.exactOptional() })

/** A decision as it is shown. */
const shownDecision = z.object({
  decision: decision(),
  by: actor(),
  at: time,
  /** Until then it can be withdrawn, and nothing runs. */
  effectiveAt: time,
  comment: z.string().exactOptional(),
})

/** A request as lists show it. */
export const requestItem = requestContent().extend({
  threadId: z.string(),
  tenant: z.string(),
  status: z.enum(requestStatuses),
  version: z.number(),
  /** The headline as one line of plain text, without characters that could deceive. */
  title: z.string(),
  display: display().exactOptional(),
  /** How many hidden or direction-changing characters its arguments have. */
  hidden: z.number(),
  createdAt: time,
  expiresAt: time.exactOptional(),
  escalated: z.boolean().exactOptional(),
  problems: z.array(z.string()).exactOptional(),
  decided: shownDecision.exactOptional(),
  answered: z
    .object({ value: jsonValue(), by: actor(), at: time, comment: z.string().exactOptional() })
    .exactOptional(),
  closed: z.object({ by: actor(), at: time, reason: z.string().exactOptional() }).exactOptional(),
  assigned: assignment.exactOptional(),
  comments: z.number(),
  /** Whether the caller may decide it. Others may only read it. */
  mayDecide: z.boolean(),
})
/** A request as lists show it. */
export type RequestItem = z.infer<typeof requestItem>

/** The filters of a list. All must match. */
export const requestFilter = z.strictObject({
  status: z.enum([...requestStatuses, 'closed', 'all']).default('open'),
  tenant: z.string().exactOptional(),
  assignee: z.string().exactOptional(),
  /** Only those that the caller may decide, and that nobody else has taken. */
  mine: z.stringbool().exactOptional(),
  agent: z.string().exactOptional(),
  tool: z.string().exactOptional(),
  risk: z.enum(risks).exactOptional(),
  kind: z.enum(['approve', 'confirm', 'ask']).exactOptional(),
  /** A thread, or a host's name of its conversation, or `gate/SOURCE/CONVERSATION`. */
  thread: z.string().exactOptional(),
  /** Opened before and after these times. */
  before: time.exactOptional(),
  after: time.exactOptional(),
  /** Words in the headline, tool, agent or thread. */
  text: z.string().max(200).exactOptional(),
})
/** The filters of a list, as sent in the query. */
export type RequestFilter = z.input<typeof requestFilter>

/** A query for a page of requests, newest first. */
export const requestQuery = requestFilter.extend({
  /** Newest first: by when it was opened, or by when it was opened or last changed, such as by a decision. */
  order: z.enum(['opened', 'changed']).default('opened'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().exactOptional(),
})

/** A page of requests. Without `next` it is the last. A page may be short, or empty, and still have a next. */
export const requestPage = z.object({ requests: z.array(requestItem), next: z.string().exactOptional() })
/** A page of requests. */
export type ApiRequestPage = z.infer<typeof requestPage>

/** A count that stops: with `more` there are more than `count`. */
const count = z.object({ count: z.number(), more: z.boolean() })
/** What waits for the caller. */
export const counts = z.object({ open: count, mine: count, high: count })
/** What waits for the caller. */
export type Counts = z.infer<typeof counts>

/** One step of a thread's story. Text of models is marked by its kind; nothing in it is markup. */
export const storyItem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), at: time, text: z.string(), by: z.string().exactOptional() }),
  z.object({ kind: z.literal('model'), at: time, agent: z.string(), text: z.string() }),
  z.object({
    kind: z.literal('tool'),
    at: time,
    tool: z.string(),
    state: z.enum(['started', 'finished', 'failed', 'refused', 'unknown']),
    text: z.string().exactOptional(),
    ms: z.number().exactOptional(),
  }),
  z.object({ kind: z.literal('policy'), at: time, tool: z.string(), policies: z.array(policyMark()) }),
  z.object({
    kind: z.literal('request'),
    at: time,
    id: z.string(),
    title: z.string(),
    status: z.enum(requestStatuses),
    by: actor().exactOptional(),
    /** It is the request that is being shown. */
    here: z.literal(true).exactOptional(),
  }),
  z.object({
    /** The run was moved to another version of its agent. Without `version`: to the one that has none. */
    kind: z.literal('moved'),
    at: time,
    agent: z.string(),
    version: z.string().exactOptional(),
    by: actor(),
    reason: z.string(),
  }),
  z.object({
    /** The run is over. `by` and `reason`: who ended it for good, and why. */
    kind: z.literal('end'),
    at: time,
    status: z.string(),
    by: actor().exactOptional(),
    reason: z.string().exactOptional(),
  }),
])
/** One step of a thread's story. */
export type StoryItem = z.infer<typeof storyItem>

/** A difference between two values of one field. */
const change = z.object({ path: z.string(), from: jsonValue().exactOptional(), to: jsonValue().exactOptional() })

/** An earlier decision about a call of the same tool. */
const similar = z.object({
  id: z.string(),
  title: z.string(),
  outcome: z.enum(['approve', 'edit', 'reject', 'respond', 'expired']),
  by: actor(),
  at: time,
})

/** A comment on a request. The model never reads it. */
export const comment = z.object({ at: time, by: actor(), text: z.string() })
/** A comment on a request. */
export type RequestComment = z.infer<typeof comment>

/** One request with what a person needs to decide it. */
export const requestDetail = z.object({
  request: requestItem,
  /** The JSON Schema of the tool's arguments, for the form of an edit. */
  argsSchema: jsonObject().exactOptional(),
  /** What the user said that led to it. */
  cause: z.object({ at: time, text: z.string(), by: z.string().exactOptional() }).exactOptional(),
  /** The model's own words before the call. Not checked by anybody. */
  modelText: z.string().exactOptional(),
  policies: z.array(policyMark()),
  /** Which version of the agent goes on after a decision, and whether a live worker has it. Absent where no workers are used. */
  resumable: z.object({ live: z.boolean(), agent: z.string(), version: z.string().nullable() }).exactOptional(),
  /** What changed since the request that this one replaces, or since it was approved. */
  changes: z.array(change),
  /** Whether an approval may also cover later calls, and how far. */
  offers: z.array(z.object({ scope: z.enum(grantScopes) })),
  similar: z.array(similar),
  grants: z.number(),
  /** The last steps of the thread up to the request. */
  story: z.array(storyItem),
  /** How many steps came before those, if they were counted: those of a long thread are not. */
  earlier: z.number().exactOptional(),
  /** Where those before them are: the `before` of the thread's story. Absent: there are none. */
  before: z.string().exactOptional(),
  comments: z.array(comment),
})
/** One request with what a person needs to decide it. */
export type RequestDetail = z.infer<typeof requestDetail>

const seen = {
  /** The version that the person saw. */
  version: z.number().int(),
  /** The digest of the call that the person saw. Needed for `approve` requests. */
  digest: z.string().exactOptional(),
  /** The `shown` of the request, if the person saw the call as its display says. */
  shown: z.string().exactOptional(),
  comment: z.string().max(10_000).exactOptional(),
}

/** Decides an `approve` request. */
export const decideBody = z.strictObject({
  ...seen,
  decision: jsonObject(),
  /** A standing decision: `true`, or its options. */
  always: z.union([z.boolean(), jsonObject()]).exactOptional(),
  undoSeconds: z.number().min(0).max(LONGEST_UNDO_SECONDS).exactOptional(),
})
/** Decides an `approve` request. */
export type DecideBody = z.infer<typeof decideBody>

/** Answers a `confirm` or an `ask`. */
export const answerBody = z.strictObject({ ...seen, answer: jsonValue() })
/** Answers a `confirm` or an `ask`. */
export type AnswerBody = z.infer<typeof answerBody>

/** Closes a `confirm` or an `ask` that cannot be answered. The agent reads the reason. */
export const cancelBody = z.strictObject({ version: z.number().int(), reason: z.string().min(1).max(10_000) })
/** Closes a `confirm` or an `ask` that cannot be answered. The agent reads the reason. */
export type CancelBody = z.infer<typeof cancelBody>

/** Takes a decision back inside of its undo window. */
export const withdrawBody = z.strictObject({ version: z.number().int() })

/** Decides several requests, each as it was seen. */
export const bulkBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: z.string(),
        version: z.number().int(),
        digest: z.string(),
        shown: z.string().exactOptional(),
      }),
    )
    .min(1)
    .max(100),
  decision: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('approve') }),
    z.strictObject({ type: z.literal('reject'), message: z.string().exactOptional() }),
  ]),
  comment: z.string().max(10_000).exactOptional(),
  undoSeconds: z.number().min(0).max(LONGEST_UNDO_SECONDS).exactOptional(),
})
/** Decides several requests. */
export type BulkBody = z.infer<typeof bulkBody>
/** What became of each. */
export const bulkResult = z.object({
  outcomes: z.array(
    z.union([
      z.object({ id: z.string(), ok: z.literal(true), request: requestItem }),
      z.object({ id: z.string(), ok: z.literal(false), code: z.string(), detail: z.string() }),
    ]),
  ),
})
/** What became of each. */
export type BulkResult = z.infer<typeof bulkResult>

/** Adds a comment. */
export const commentBody = z.strictObject({ text: z.string().min(1).max(10_000) })
/** Assigns a request to somebody, or to nobody. */
export const assignBody = z.strictObject({
  assignee: z.string().nullable(),
  seconds: z.number().int().min(1).max(604_800).exactOptional(),
})
/** Takes a request for a while, so that others see it. */
export const claimBody = z.strictObject({ seconds: z.number().int().min(1).max(86_400).default(600) })
