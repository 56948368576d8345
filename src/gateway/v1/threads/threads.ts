import { mayAudit, mayOperate, readersOf } from '../../../core/access.ts'
import { type ThreadDetail, threadDetail, threadPage, threadQuery } from '../../../protocol/api/records.ts'
import { apiRoute } from '../api-route.ts'
import { cursorsOf } from '../cursors.ts'
import { NOT_FOUND, notAllowed, ok } from '../refusals.ts'
import { iso } from '../views/request-item.ts'
import { sightOf } from '../views/sight.ts'
import { lastSteps, storyOf } from '../views/story.ts'
import { parseThread } from '../views/thread-entries.ts'
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

/** How many steps one response has. What came before is in the journal. */
const MOST_STEPS = 2000

/** One thread with its story. */
export const threadRoute = apiRoute({
  method: 'GET',
  path: '/v1/threads/:id',
  summary: 'A thread with its story, as far as the caller may see it',
  answer: threadDetail,
  async handle(call) {
    const id = await visibleThread(call, call.http.param('id'))
    if (id === undefined) return NOT_FOUND
    const { entries, version } = await call.store.read(id)
    if (version === 0) return NOT_FOUND
    const parsed = parseThread(id, entries)
    const story = storyOf(parsed, { sight: sightOf(call.caller, parsed) })
    const counted = mayAudit(call.caller) ? { version } : {}
    return ok({ id, ...counted, ...lastSteps(story, MOST_STEPS) } satisfies ThreadDetail)
  },
})
