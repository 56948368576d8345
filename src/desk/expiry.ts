import { planClosed } from '../core/plan/waits.ts'
import { projectRequests } from '../core/project.ts'
import type { RequestFacts } from '../core/request-view.ts'
import type { AppendOutcome, RequestChange } from '../ports/store.ts'
import type { Entry } from '../protocol/entry.ts'
import { HitlStaleAnswer } from '../protocol/errors.ts'
import type { DeskStore } from './decide.ts'

/** The index changes of entries that settle requests: refused from each request's deadline on, in the same step that would store them. */
export function changesInTime(entries: readonly Entry[], facts: readonly RequestFacts[]): RequestChange[] {
  return projectRequests(entries).map((change) => {
    const expiresAt =
      change.op === 'change' ? facts.find(({ opened }) => opened.id === change.id)?.opened.expiresAt : undefined
    return change.op === 'change' && expiresAt !== undefined ? { ...change, before: expiresAt } : change
  })
}

/** Being late is a fact: whoever finds a request past its deadline writes that down, and the answer is refused. */
export async function refuseLate(
  store: DeskStore,
  facts: readonly RequestFacts[],
  refused: Extract<AppendOutcome, { ok: false }>,
): Promise<void> {
  const late = facts.find(
    ({ status, opened }) => status === 'open' && (opened.expiresAt ?? Number.POSITIVE_INFINITY) <= refused.now,
  )
  if (!late) return
  const { opened, version, threadId } = late
  const entry = planClosed({ opened, version }, { status: 'expired', by: { kind: 'time', id: 'deadline' } })
  // If somebody else was faster with it, the next read says so.
  const outcome = await store.append({ threadId, entries: [JSON.stringify(entry)], requests: projectRequests([entry]) })
  if (!outcome.ok) return
  const at = new Date(outcome.at).toISOString()
  throw new HitlStaleAnswer({
    id: opened.id,
    status: 'expired',
    version: version + 1,
    by: { kind: 'time', id: 'deadline' },
    at,
  })
}
