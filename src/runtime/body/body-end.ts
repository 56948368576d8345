import { editedResult, errorResult } from '../../core/plan/results.ts'
import type { Release } from '../../core/state.ts'
import { HitlCancelled, HitlTimedOut, type HoldpointError } from '../../protocol/errors/errors.ts'
import type { CallKey } from '../../protocol/ids.ts'
import type { ToolResult } from '../../protocol/message.ts'
import { modelMessages } from '../definition/model-messages.ts'
import type { BodyRecord } from './body-record.ts'

/** How an attempt ended. */
export type BodyEnd =
  /** With an error if a guardrail stops the run or a hook returned something unknown. The effect has happened, so the result is recorded first. */
  | { kind: 'finished'; result: ToolResult; error?: HoldpointError }
  /** Its wait was cancelled or timed out, or a hook before it returned something unknown. The body's own result is ignored. */
  | {
      kind: 'refused'
      cause: 'cancelled' | 'expired' | 'aborted' | 'denied'
      result: ToolResult
      error?: HoldpointError
    }
  /** Interrupted by the end of the run, or detached: there is nothing to record. */
  | { kind: 'left' }
  /** The lease was gone, or the run was stopped, before it began. */
  | { kind: 'not-begun'; fresh: boolean }
  /** The developer made a mistake. */
  | { kind: 'misused'; error: HoldpointError }

/** An attempt that ended. */
export interface SettledAttempt {
  key: CallKey
  attempt: number
  end: BodyEnd
}

/** How a body was ended before it returned or threw, if it was. */
export function interrupted({ ended, misuse, gaveUp }: BodyRecord): BodyEnd | undefined {
  if (misuse) return { kind: 'misused', error: misuse }
  if (ended instanceof HitlCancelled)
    return { kind: 'refused', cause: 'cancelled', result: errorResult(modelMessages.waitCancelled(ended.reason)) }
  if (ended instanceof HitlTimedOut)
    return { kind: 'refused', cause: 'expired', result: errorResult(modelMessages.waitExpired) }
  if (gaveUp)
    return { kind: 'refused', cause: 'aborted', result: errorResult(modelMessages.waitCancelled('its signal fired')) }
  return ended ? { kind: 'left' } : undefined
}

/** The end of a body that has a result. */
export function finished(result: ToolResult): BodyEnd {
  return { kind: 'finished', result }
}

/** A result that tells the model of an edit, if there was one. */
export function note(release: Release, result: ToolResult): ToolResult {
  return release.edited ? editedResult(result, release) : result
}
