import type { HitlRequest, JsonValue } from '../../index.ts'
import type { Layout } from './long-text.ts'

/** What a request is laid out with. */
export interface CardLayout extends Layout {
  readonly now: number
}

/** Whether the request holds the answer that would end the run. */
export function isGate({ reason, toolName }: HitlRequest): boolean {
  return reason === 'final_answer' && toolName === undefined
}

/** Whether the body of a started call (or a hook before it) asks. Its answer is given to that code and lets nothing run. */
export function isOfBody({ kind, toolCallId, questionId }: HitlRequest): boolean {
  return kind === 'approve' && toolCallId !== undefined && questionId !== toolCallId
}

/** Whether an earlier try of the call may have taken effect: approving it runs it again. */
export function mayHaveRun({ reason }: HitlRequest): boolean {
  return reason === 'unknown_outcome'
}

/** Says in a list what {@link mayHaveRun} means. */
export const MAY_HAVE_RUN = 'may have run already'

/** Facts that changed since the call was approved: what it depends on, and its preview. */
export function movedOf({ reason, details }: HitlRequest): { before: JsonValue; now: JsonValue }[] {
  if (reason === undefined) return []
  return [details?.preconditions, details?.preview].flatMap((moved) => {
    if (typeof moved !== 'object' || moved === null || Array.isArray(moved)) return []
    const { before, now } = moved
    return before === undefined || now === undefined ? [] : [{ before, now }]
  })
}
