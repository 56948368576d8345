import type { DecisionType } from '../protocol/decision.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { HitlRequest } from '../protocol/request.ts'

/** Requests in the shape of LangChain's human-in-the-loop middleware, with ids and digests added. Both lists are in call order. */
export interface ActionRequests {
  action_requests: {
    name: string
    args: JsonObject
    /** The same as `args`; older clients read this. */
    arguments: JsonObject
    description?: string
    /** `id`, `version` and `digest` bind a decision to exactly this: `{ type: 'approve', id, digest }`. */
    id: string
    version: number
    digest?: string
  }[]
  review_configs: { action_name: string; allowed_decisions: DecisionType[]; args_schema?: JsonObject }[]
}

/** Tells interruptions as `action_requests` and `review_configs`; requests that are not about a call are left out. */
export function toActionRequests(interruptions: readonly HitlRequest[]): ActionRequests {
  const asked = interruptions.filter((request) => request.kind === 'approve' && request.toolName !== undefined)
  return {
    action_requests: asked.map(({ id, version, toolName = '', args = {}, description, digest }) => ({
      name: toolName,
      args: structuredClone(args),
      arguments: structuredClone(args),
      ...(description === undefined ? {} : { description }),
      id,
      version,
      ...(digest === undefined ? {} : { digest }),
    })),
    review_configs: asked.map(({ toolName = '', allowedDecisions, argsSchema }) => ({
      action_name: toolName,
      allowed_decisions: [...allowedDecisions],
      ...(argsSchema === undefined ? {} : { args_schema: structuredClone(argsSchema) }),
    })),
  }
}
