import { deadlineOf, planDeadline } from '../core/plan/deadline.ts'
import { projectRequests } from '../core/project.ts'
import type { RequestFacts } from '../core/request-view.ts'
import type { AppendOutcome, RequestChange } from '../ports/store.ts'
import type { Entry } from '../protocol/entries/entry.ts'
import type { DeskStore } from './options.ts'

/** The index changes of entries that settle requests: refused from each request's deadline on, in the same step that would store them. */
export function changesInTime(entries: readonly Entry[], facts: readonly RequestFacts[]): RequestChange[] {
  const byId = new Map(facts.map((one) => [one.opened.id, one]))
  return projectRequests(entries).map((change) => {
    const asked = change.op === 'change' ? byId.get(change.id) : undefined
    const before = asked && deadline(asked)
    return change.op === 'change' && before !== undefined ? { ...change, before } : change
  })
}

/**
 * Being late is a fact: whoever finds a request past its deadline writes down what that means. The answer is then judged by what the request
 * has become: refused if it is over, taken if it was passed on.
 */
export async function writeDeadlines(
  store: DeskStore,
  facts: readonly RequestFacts[],
  refused: Extract<AppendOutcome, { ok: false }>,
): Promise<void> {
  for (const late of facts) await writeDeadline(store, late, refused.now)
}

/**
 * Writes what the deadline of a request means, if that is over. Resolves to what was written: nothing if it is not late, or if somebody else was
 * faster, of which the next read tells.
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
    requests: projectRequests(entries),
  })
  return outcome.ok ? entries : []
}

function deadline({ opened, escalated = false }: RequestFacts): number | undefined {
  return deadlineOf(opened, escalated)
}
