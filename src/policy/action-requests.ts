import { requireKnown } from '../protocol/checks/known-options.ts'
import type { DecisionType } from '../protocol/decision.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import type { HitlRequest } from '../protocol/request.ts'

/** Requests in the shape of LangChain's human-in-the-loop middleware for Python, with ids and digests added. Both lists are in call order. */
export interface ActionRequests {
  action_requests: {
    name: string
    args: JsonObject
    /** The same as `args`; older clients read this. */
    arguments: JsonObject
    /** What the model sent, if an edit has to take that form. */
    args_input?: JsonObject
    description?: string
    /** `id`, `version` and `digest` bind a decision to exactly this: `{ type: 'approve', id, digest }`. */
    id: string
    version: number
    digest?: string
  }[]
  review_configs: { action_name: string; allowed_decisions: DecisionType[]; args_schema?: JsonObject }[]
}

/** The same in the shape of LangChain's middleware for JavaScript. */
export interface CamelActionRequests {
  actionRequests: {
    name: string
    args: JsonObject
    /** The same as `args`; older clients read this. */
    arguments: JsonObject
    /** What the model sent, if an edit has to take that form. */
    argsInput?: JsonObject
    description?: string
    /** `id`, `version` and `digest` bind a decision to exactly this: `{ type: 'approve', id, digest }`. */
    id: string
    version: number
    digest?: string
  }[]
  reviewConfigs: { actionName: string; allowedDecisions: DecisionType[]; argsSchema?: JsonObject }[]
}

/**
 * Returns interruptions as `action_requests` and `review_configs`, or with `case: 'camel'` as `actionRequests` and `reviewConfigs`. Requests that
 * are not about a call are left out.
 */
export function toActionRequests(interruptions: readonly HitlRequest[], options?: { case?: 'snake' }): ActionRequests
export function toActionRequests(interruptions: readonly HitlRequest[], options: { case: 'camel' }): CamelActionRequests
export function toActionRequests(
  interruptions: readonly HitlRequest[],
  options?: { case?: 'camel' | 'snake' },
): ActionRequests | CamelActionRequests
export function toActionRequests(
  interruptions: readonly HitlRequest[],
  options: { case?: 'camel' | 'snake' } = {},
): ActionRequests | CamelActionRequests {
  requireKnown('toActionRequests()', options, ['case'])
  const { case: form = 'snake' } = options
  if (form !== 'snake' && form !== 'camel') throw new InputInvalid(`case must be 'camel' or 'snake'.`)
  const asked = interruptions.filter((request) => request.kind === 'approve' && request.toolName !== undefined)
  const camel: CamelActionRequests = { actionRequests: asked.map(toAction), reviewConfigs: asked.map(toConfig) }
  return form === 'camel' ? camel : toSnake(camel)
}

function toAction(request: HitlRequest): CamelActionRequests['actionRequests'][number] {
  const { id, version, toolName = '', args = {}, argsInput, description, digest } = request
  return {
    name: toolName,
    args: structuredClone(args),
    arguments: structuredClone(args),
    ...(argsInput === undefined ? {} : { argsInput: structuredClone(argsInput) }),
    ...(description === undefined ? {} : { description }),
    id,
    version,
    ...(digest === undefined ? {} : { digest }),
  }
}

function toConfig(request: HitlRequest): CamelActionRequests['reviewConfigs'][number] {
  const { toolName = '', allowedDecisions, argsSchema } = request
  return {
    actionName: toolName,
    allowedDecisions: [...allowedDecisions],
    ...(argsSchema === undefined ? {} : { argsSchema: structuredClone(argsSchema) }),
  }
}

function toSnake({ actionRequests, reviewConfigs }: CamelActionRequests): ActionRequests {
  return {
    action_requests: actionRequests.map(({ argsInput, ...action }) =>
      argsInput === undefined ? action : { ...action, args_input: argsInput },
    ),
    review_configs: reviewConfigs.map(({ actionName, allowedDecisions, argsSchema }) => ({
      action_name: actionName,
      allowed_decisions: allowedDecisions,
      ...(argsSchema === undefined ? {} : { args_schema: argsSchema }),
    })),
  }
}
