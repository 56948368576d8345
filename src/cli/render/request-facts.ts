import type { HitlRequest, JsonValue } from '../../index.ts'
import type { Layout } from './long-text.ts'

/** What a request is laid out with. */
export interface CardLayout extends Layout {
  readonly now: number
}

/** Whether it stands before the answer that would end the run. */
export function isGate({ reason, toolName }: HitlRequest): boolean {
  return reason === 'final_answer' && toolName === undefined
}

/** Whether a tool, or a hook before it, asks by itself while the call is under way: then a yes lets nothing run but is told to it. */
export function isOfBody({ kind, toolCallId, questionId }: HitlRequest): boolean {
  return kind === 'approve' && toolCallId !== undefined && questionId !== toolCallId
}

/** What a call that is asked about again depended on or would have done, and does now. */
export function movedOf({ reason, details }: HitlRequest): { before: JsonValue; now: JsonValue }[] {
  if (reason === undefined) return []
  return [details?.preconditions, details?.preview].flatMap((moved) => {
    if (typeof moved !== 'object' || moved === null || Array.isArray(moved)) return []
    const { before, now } = moved
    return before === undefined || now === undefined ? [] : [{ before, now }]
  })
}
