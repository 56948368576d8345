import { z } from 'zod'
import { type Actor, type Decision, decisionTypes } from './decision.ts'
import { cloneJson, type JsonObject, type JsonValue } from './json/json.ts'
import { jsonObject, jsonValue } from './message.ts'

/** One choice of a question. */
export const questionOption = z.object({
  label: z.string(),
  value: z.string(),
  description: z.string().exactOptional(),
  allowInput: z.boolean().exactOptional(),
})

/** One question of a form. */
export const question = z.object({
  key: z.string(),
  prompt: z.string(),
  options: z.array(questionOption).exactOptional(),
  multiSelect: z.boolean().exactOptional(),
  required: z.boolean().exactOptional(),
})
/** One question of a form. */
export type Question = z.infer<typeof question>

/** A form, as a model hands it to `ask_user`. */
export const form = z.object({ questions: z.array(question).min(1) })

/** Where a request can stand. */
export const requestStatuses = ['open', 'decided', 'expired', 'cancelled', 'aborted', 'superseded'] as const
/** Where a request can stand. */
export type RequestStatus = (typeof requestStatuses)[number]

/** What can happen when nobody answers in time. `'allow'` is for low risk only. */
export const onTimeouts = ['reject', 'escalate', 'keep', 'allow'] as const
/** What happens when nobody answers in time. */
export type OnTimeout = (typeof onTimeouts)[number]

/** How much is at stake. */
export const risks = ['low', 'medium', 'high'] as const
/** How much is at stake. */
export type Risk = (typeof risks)[number]

/** The decisions that a request accepts, as a schema. */
export const allowedDecisions = z.array(z.enum(decisionTypes))

/**
 * What of a stored request people and programs outside see. It is an allow-list: a field that is stored with a request and not named here stays
 * private.
 */
export const requestContent = z.object({
  id: z.string(),
  /** Its address in a live thread: the model's call id for `approve`. */
  questionId: z.string(),
  kind: z.enum(['approve', 'confirm', 'ask']),
  /** Who asks. */
  agent: z.string(),
  /** The agents from the root to the asker, both included. */
  path: z.array(z.string()),
  toolName: z.string().exactOptional(),
  toolCallId: z.string().exactOptional(),
  /** What the tool's body gets if it is approved. */
  args: jsonObject.exactOptional(),
  /** What the model sent, where the schema made `args` of it and does not accept `args` itself: an edit takes this form. */
  argsInput: jsonObject.exactOptional(),
  /** Binds a yes to exactly this call. */
  digest: z.string().exactOptional(),
  description: z.string().exactOptional(),
  /** What the effect would be; read again right before it runs. */
  preview: jsonValue.exactOptional(),
  /** What it depends on; read again right before it runs. */
  preconditions: jsonValue.exactOptional(),
  prompt: z.string().exactOptional(),
  details: jsonObject.exactOptional(),
  questions: z.array(question).exactOptional(),
  /** Empty for `confirm` and `ask`, which take an answer instead. */
  allowedDecisions,
  /** Why it is asked when it is not the usual reason, e.g. `unknown_outcome`. */
  reason: z.string().exactOptional(),
  /** The request that this one replaces. */
  supersedes: z.string().exactOptional(),
  risk: z.enum(risks).exactOptional(),
  assignee: z.string().exactOptional(),
  /** Who may decide; anybody if it is not set. */
  reviewers: z.array(z.string()).exactOptional(),
  /** JSON Schema that edited arguments must fit beside the tool's own. */
  argsSchema: jsonObject.exactOptional(),
  /** What happens at `expiresAt`. Default `'reject'`. */
  onTimeout: z.enum(onTimeouts).exactOptional(),
})

/** What a person is asked: plain data, accepted back from any copy. */
export interface HitlRequest extends z.infer<typeof requestContent> {
  threadId: string
  tenant: string
  status: RequestStatus
  /** Counts this request's changes; a decision names the version that it answers. */
  version: number
  /** It was passed on because nobody answered in time. */
  escalated?: boolean
  /** What an edit was refused for, when the request opened again because of it. */
  problems?: string[]
  /** The answer to an `approve` request. */
  decision?: Decision & { by: Actor; at: string; effectiveAt: string }
  /** The answer to a `confirm` (a boolean) or an `ask` (an object of texts). */
  answer?: { value: JsonValue; by: Actor; at: string }
  /** Why it was closed without an answer. */
  closedReason?: string
  createdAt: string
  expiresAt?: string
}

/** A copy of a request that shares nothing with it. */
export function copyRequest(request: HitlRequest): HitlRequest {
  return cloneJson(request as unknown as JsonObject) as unknown as HitlRequest
}
