import { z } from 'zod'
import { lazy } from './checks/lazy.ts'
import { type Actor, type Decision, decisionTypes } from './decision.ts'
import { display } from './display.ts'
import { cloneJson, type JsonObject, type JsonValue } from './json/json.ts'
import { jsonObject, jsonValue } from './message.ts'

/** One choice of a question. */
export const questionOption = lazy(() =>
  z.object({
    label: z.string(),
    value: z.string(),
    description: z.string().exactOptional(),
    allowInput: z.boolean().exactOptional(),
  }),
)

/** One question of a form. */
export const question = lazy(() =>
  z.object({
    key: z.string(),
    prompt: z.string(),
    options: z.array(questionOption()).exactOptional(),
    multiSelect: z.boolean().exactOptional(),
    required: z.boolean().exactOptional(),
  }),
)
/** One question of a form. */
export type Question = z.infer<ReturnType<typeof question>>

/** A form, as a model passes it to `ask_user`. */
export const form = lazy(() => z.object({ questions: z.array(question()).min(1) }))

/** The possible states of a request. */
export const requestStatuses = ['open', 'decided', 'expired', 'cancelled', 'aborted', 'superseded'] as const
/** The state of a request. */
export type RequestStatus = (typeof requestStatuses)[number]

/** The possible actions at a deadline. Use `'allow'` for low risk only. */
export const onTimeouts = ['reject', 'escalate', 'keep', 'allow'] as const
/** The action at a deadline. */
export type OnTimeout = (typeof onTimeouts)[number]

/** The risk levels of a call. */
export const risks = ['low', 'medium', 'high'] as const
/** The risk level of a call. */
export type Risk = (typeof risks)[number]

/**
 * How a person is asked about a call. It is stored with the call's verdict and is part of every request about it, also of those that ask again: a
 * new field that a policy can set belongs here.
 */
export const review = lazy(() =>
  z.object({
    /** Empty for `confirm` and `ask`, which take an answer instead. */
    allowedDecisions: z.array(z.enum(decisionTypes)),
    description: z.string().exactOptional(),
    risk: z.enum(risks).exactOptional(),
    /** Who may decide: `user:ID` or `group:NAME`. Default: anybody. Of several lists, the names that are in all of them. */
    reviewers: z.array(z.string()).exactOptional(),
    /** The lists of all policies, if several named reviewers: whoever decides must be in each. */
    reviewerLists: z.array(z.array(z.string())).exactOptional(),
    /** Through which doors it may be decided, such as `inbox`. Default: any. */
    via: z.array(z.string()).exactOptional(),
    /** JSON Schema that edited arguments must match, in addition to the tool's own. */
    argsSchema: jsonObject().exactOptional(),
    /** How long an approval counts, from when it takes effect. A call that was not started by then is asked about again. */
    decisionValidSeconds: z.number().exactOptional(),
  }),
)
/** How a person is asked about a call. */
export type Review = z.infer<ReturnType<typeof review>>

const REVIEW = lazy(() => Object.keys(review().shape) as (keyof Review)[])

/** The review inside of something larger, such as a request. */
export function pickReview(from: Review): Review {
  return Object.fromEntries(REVIEW().flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]]))) as Review
}

/** The host of a call that comes from outside: another agent framework, a protocol client, a coding agent. */
const requestHost = lazy(() =>
  z.object({
    source: z.string(),
    /** Its own name of the conversation. */
    conversation: z.string(),
    /** Its own id of the call. */
    callId: z.string().exactOptional(),
    /** On whose behalf it calls. */
    principal: z.string().exactOptional(),
  }),
)
/** The host of a call that comes from outside. */
export type RequestHost = z.infer<ReturnType<typeof requestHost>>

/**
 * The public fields of a stored request. This is an allow-list: a stored field that is not named here stays private.
 */
export const requestContent = lazy(() =>
  z.object({
    id: z.string(),
    /** Its address in a live thread: the model's call id for `approve`. */
    questionId: z.string(),
    kind: z.enum(['approve', 'confirm', 'ask']),
    /** The agent that asks. */
    agent: z.string(),
    /** The agents from the root to the asking agent, both included. */
    path: z.array(z.string()),
    /** The host, if the call comes from outside. */
    host: requestHost().exactOptional(),
    toolName: z.string().exactOptional(),
    toolCallId: z.string().exactOptional(),
    /** The arguments that the tool's body gets if approved. */
    args: jsonObject().exactOptional(),
    /**
     * The model's input, if the schema parsed it into `args` and does not accept `args` itself. An edit takes this form.
     */
    argsInput: jsonObject().exactOptional(),
    /** Binds an approval to exactly this call. */
    digest: z.string().exactOptional(),
    /** How the call is shown. It stays as it was when the request was opened, and is not part of `digest`. */
    display: display().exactOptional(),
    /** Covers `display` and `digest`: what people were shown. */
    shown: z.string().exactOptional(),
    /** The expected effect. Read again right before the call runs. */
    preview: jsonValue().exactOptional(),
    /** What the call depends on. Read again right before the call runs. */
    preconditions: jsonValue().exactOptional(),
    prompt: z.string().exactOptional(),
    details: jsonObject().exactOptional(),
    questions: z.array(question()).exactOptional(),
    ...review().shape,
    /** Why it is asked, if not for the usual reason, e.g. `unknown_outcome`. */
    reason: z.string().exactOptional(),
    /** The request that this one replaces. */
    supersedes: z.string().exactOptional(),
    assignee: z.string().exactOptional(),
    /** The action at `expiresAt`. Default `'reject'`. */
    onTimeout: z.enum(onTimeouts).exactOptional(),
  }),
)

/** A request to a person: plain data. Any copy of it is accepted back. */
export interface HitlRequest extends z.infer<ReturnType<typeof requestContent>> {
  threadId: string
  tenant: string
  status: RequestStatus
  /** Counts the request's changes. A decision names the version that it answers. */
  version: number
  /** It was escalated because nobody answered in time. */
  escalated?: boolean
  /** Why an edit was refused, if the request was reopened because of it. */
  problems?: string[]
  /** The answer to an `approve` request. */
  decision?: Decision & { by: Actor; at: string; effectiveAt: string }
  /** The answer to a `confirm` (a boolean) or an `ask` (an object of strings and string arrays). */
  answer?: { value: JsonValue; by: Actor; at: string }
  /** Why it was closed without an answer. */
  closedReason?: string
  createdAt: string
  expiresAt?: string
}

/** A deep copy of a request. */
export function copyRequest(request: HitlRequest): HitlRequest {
  return cloneJson(request as unknown as JsonObject) as unknown as HitlRequest
}
