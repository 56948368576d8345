import { deadlineOf, planDeadline } from '../../core/plan/deadline.ts'
import { projectRequests } from '../../core/views/project.ts'
import type { RequestFacts } from '../../core/views/request-view.ts'
import type { AppendOutcome, RequestChange } from '../../ports/store.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import type { DeskStore } from '../options.ts'
import { markOf } from '../record/mark.ts'

/** The index changes of entries that settle requests. The store refuses them atomically once a request's deadline has passed. */
export function changesInTime(entries: readonly Entry[], facts: readonly RequestFacts[]): RequestChange[] {
  const byId = new Map(facts.map((one) => [one.opened.id, one]))
  return projectRequests(entries, facts[0]?.threadId ?? '').map((change) => {
    const asked = change.op === 'change' ? byId.get(change.id) : undefined
    const before = asked && deadline(asked)
    return change.op === 'change' && before !== undefined ? { ...change, before } : change
  })
}

/**
 * Records the deadlines of expired requests. An answer is then checked against the new state: refused if the request is closed, accepted if it was
 * escalated.
 */
export async function writeDeadlines(
  store: DeskStore,
  facts: readonly RequestFacts[],
  refused: Extract<AppendOutcome, { ok: false }>,
): Promise<void> {
  for (const late of facts) await writeDeadline(store, late, refused.now)
}

/**
 * Records the deadline of a request if it has passed. Resolves to the entries written: none if it has not expired, or if another writer was first,
 * which the next read shows.
 */
export async function writeDeadline(
  store: Pick<DeskStore, 'append'>,
  late: RequestFacts,
  now: number,
): Promise<readonly Entry[]> {
  if (late.status !== 'open' || (deadline(late) ?? Number.POSITIVE_INFINITY) > now) return []
  const entries = planDeadline(late)
  const outcome = await store.append({
    threadId: late.threadId,
    entries: entries.map((entry) => JSON.stringify(entry)),
    requests: projectRequests(entries, late.threadId),
    ...markOf(entries, [late]),
  })
  return outcome.ok ? entries : []
}

function deadline({ opened, escalated = false }: RequestFacts): number | undefined {
  return deadlineOf(opened, escalated)
}
