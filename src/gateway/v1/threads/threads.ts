import { mayAudit, mayOperate, readersOf } from '../../../core/access.ts'
import { storyQuery, type ThreadDetail, threadDetail, threadPage, threadQuery } from '../../../protocol/api/records.ts'
import type { Result } from '../../refusal.ts'
import { apiRoute } from '../api-route.ts'
import { type Cursors, cursorsOf } from '../cursors.ts'
import { limitingRequests } from '../pages/read-sight.ts'
import { readStory } from '../pages/read-story.ts'
import { sealPage, storyCursors } from '../pages/story-cursors.ts'
import { openWindow } from '../pages/thread-window.ts'
import { NOT_FOUND, notAllowed, ok, refuseWith } from '../refusals.ts'
import { iso } from '../views/request-item.ts'
import { stuckPage } from './stuck.ts'
import { visibleThread } from './visible-thread.ts'

const STUCK_DENIED = notAllowed('Only operators and admins see which threads are stuck.')

/** Threads with requests that the caller may see. */
export const threadsRoute = apiRoute({
  method: 'GET',
  path: '/v1/threads',
  summary: 'Threads that have requests which the caller may see, newest first; stuck ones for operators and admins',
  query: threadQuery,
  answer: threadPage,
  async handle(call) {
    const { limit, cursor, stuck } = call.query
    if (stuck === 'true') return mayOperate(call.caller) ? ok(await stuckPage(call.store, limit)) : STUCK_DENIED
    const readers = readersOf(call.caller)
    if (readers?.length === 0) return ok({ threads: [] })
    const cursors = await cursorsOf(call, 'threads')
    const start = cursors.open(cursor)
    if (!start.ok) return start
    const page = await call.store.threadsOf({ limit, ...(readers ? { readers } : {}), ...start.value })
    const threads = page.threads.map(({ threadId, open, lastAt }) => ({ id: threadId, open, lastAt: iso(lastAt) }))
    return ok({ threads, ...cursors.seal(page.next) })
  },
})

/** How many steps of a short thread one response has. */
const STEPS = 2000
/** How many entries of a thread are told again from one place on. */
const MOST_TOLD_AGAIN = 1000
const TOO_FAR = refuseWith({
  status: 400,
  code: 'too_far_back',
  detail: 'from: too much has happened since. Load the end of the story.',
})

/** One thread with a page of its story: the end of it, or what comes before a place. */
export const threadRoute = apiRoute({
  method: 'GET',
  path: '/v1/threads/:id',
  summary: 'A thread with its story, as far as the caller may see it, in pages from its end backwards',
  query: storyQuery,
  answer: threadDetail,
  async handle(call) {
    const id = await visibleThread(call, call.http.param('id'))
    if (id === undefined) return NOT_FOUND
    const cursors = await storyCursors(call, id)
    const before = placeIn(cursors, call.query, 'before')
    const from = placeIn(cursors, call.query, 'from')
    if (!before.ok) return before
    if (!from.ok) return from
    const limiting = await limitingRequests(call, id)
    const window = await openWindow(call.store, id, before.value === undefined ? undefined : before.value - 1)
    const { version, isShort } = window
    if (version === 0) return NOT_FOUND
    if (from.value !== undefined && version - from.value > MOST_TOLD_AGAIN) return TOO_FAR
    const page = await readStory(call, window, {
      limit: call.query.limit ?? (isShort ? STEPS : undefined),
      from: from.value,
      limiting,
    })
    const counted = mayAudit(call.caller) ? { version } : {}
    return ok({ id, ...counted, ...sealPage(cursors, page) } satisfies ThreadDetail)
  },
})

/** The entry that a parameter names. */
function placeIn(
  cursors: Cursors,
  query: { before?: string; from?: string },
  parameter: 'before' | 'from',
): Result<number | undefined> {
  const opened = cursors.open(query[parameter], parameter)
  if (!opened.ok) return opened
  return ok(opened.value.cursor === undefined ? undefined : Number(opened.value.cursor))
}
