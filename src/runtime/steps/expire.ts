import { isPast } from '../../core/next.ts'
import { planDeadline } from '../../core/plan/deadline.ts'
import { openRequests } from '../../core/queries.ts'
import type { AskedRequest } from '../../core/state.ts'
import type { Activation } from '../journal/activation.ts'
import type { Journal } from '../journal/journal.ts'

/** Closes expired requests. A later step handles their calls. */
export async function expireRequests(
  { journal, activation }: { journal: Journal; activation: Activation },
  requests: readonly AskedRequest[],
): Promise<void> {
  const ids = new Set(requests.map(({ opened }) => opened.id))
  // A request may have been escalated meanwhile: then it is open and no longer late.
  const isLate = (asked: AskedRequest) => ids.has(asked.opened.id) && isPast(asked, journal.now())
  await activation.report((state) => {
    const late = openRequests(state).filter(isLate)
    return late.length > 0 ? { entries: late.flatMap(planDeadline) } : undefined
  })
}
