import { planAbortAll } from '../../core/plan/calls.ts'
import { parseActor } from '../../desk/record/on-record.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Actor } from '../../protocol/decision.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import type { Journal } from '../journal/journal.ts'

/** Who ends a run for good, and why. */
export interface AbortOptions {
  reason?: string
  by?: string | Actor
}

/** Checks what `abortPending` was given. */
export function checkAbort(options: AbortOptions): { reason: string; by: Actor } {
  requireKnown('thread.abortPending()', options, ['reason', 'by'])
  const { reason = 'aborted' } = options
  if (typeof reason !== 'string') throw new InputInvalid('The reason of thread.abortPending() must be a string.')
  return { reason, by: parseActor(options.by ?? 'local') }
}

/** Refuses all open calls of a run and ends it. */
export async function abortRun(journal: Journal, { reason, by }: { reason: string; by: Actor }): Promise<void> {
  await journal.catchUp()
  await journal.write((state) => {
    const entries = planAbortAll(state, { by, reason })
    return entries.length > 0 ? { entries } : undefined
  })
}
