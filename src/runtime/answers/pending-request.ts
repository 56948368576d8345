import { isPast } from '../../core/next.ts'
import { planDeadline } from '../../core/plan/deadline.ts'
import { openRequests } from '../../core/queries.ts'
import type { ThreadState } from '../../core/state.ts'
import { toInterruption } from '../../core/views/request-view.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { Journal } from '../journal/journal.ts'

/** Reads the first open request of a thread. Closes expired requests first. */
export async function firstOpenRequest(journal: Journal): Promise<HitlRequest | undefined> {
  await journal.catchUp()
  await journal.write((state) => {
    const late = openRequests(state).filter((asked) => isPast(asked, journal.now()))
    return late.length > 0 ? { entries: late.flatMap(planDeadline) } : undefined
  })
  const { state } = journal
  const [first] = openRequests(state)
  return first && toInterruption(state, first)
}

/** The open requests of a thread's run, as they are stored. */
export function storedRequests(state: ThreadState): HitlRequest[] {
  const open = openRequests(state).filter(({ opened }) => opened.run !== undefined)
  return open.map((request) => toInterruption(state, request))
}
