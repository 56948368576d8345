import { z } from 'zod'
import { lazy } from './checks/lazy.ts'
import { jsonObject } from './message.ts'

/** The kinds of answer to an `approve` request. */
export const decisionTypes = ['approve', 'edit', 'reject', 'respond'] as const
/** A kind of answer to an `approve` request. */
export type DecisionType = (typeof decisionTypes)[number]

/** What a person decided about one tool call. */
export const decision = lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('approve') }),
    z.strictObject({
      type: z.literal('edit'),
      args: jsonObject(),
      toolName: z.string().exactOptional(),
      /** Why, for the model to read with the result. */
      message: z.string().exactOptional(),
    }),
    z.strictObject({ type: z.literal('reject'), message: z.string().exactOptional() }),
    z.strictObject({ type: z.literal('respond'), message: z.string() }),
  ]),
)
/** What a person decided about one tool call. */
export type Decision = z.infer<ReturnType<typeof decision>>

/** The decision, if it is an edit. Only an edit has to be checked before its call can run. */
export function editOf(decision: Decision): Extract<Decision, { type: 'edit' }> | undefined {
  switch (decision.type) {
    case 'edit':
      return decision
    case 'approve':
    case 'reject':
    case 'respond':
      return undefined
    default:
      return decision satisfies never
  }
}

/** Whether a decision rejects its call. */
export function rejects(decision: Decision): boolean {
  switch (decision.type) {
    case 'reject':
      return true
    case 'approve':
    case 'edit':
    case 'respond':
      return false
    default:
      return decision satisfies never
  }
}

/** Who did something. Set by the side that checked the credential, never by the client. */
export const actor = lazy(() =>
  z.object({
    kind: z.enum(['person', 'policy', 'grant', 'time', 'system']),
    id: z.string(),
    /** The door that it came through: `inbox`, `api`, `hil`, `cli`, … */
    via: z.string().exactOptional(),
    /** The groups of a person. They come from the credential; on a bare store they are only claimed. */
    groups: z.array(z.string()).exactOptional(),
  }),
)
/** Who did something. */
export type Actor = z.infer<ReturnType<typeof actor>>

/** Reads `by`: a string is a person's id. Any other value is returned unchanged. */
export function toActor<T>(by: T): Actor | Exclude<T, string> {
  return typeof by === 'string' ? { kind: 'person', id: by } : (by as Exclude<T, string>)
}
