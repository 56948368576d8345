import { mayOperate } from '../../../core/access.ts'
import type { Store } from '../../../ports/store.ts'
import { type ApiThreadPage, abortBody, abortResult, retryBody, retryResult } from '../../../protocol/api/records.ts'
import { ThreadNotFound } from '../../../protocol/errors/errors.ts'
import { abortRun } from '../../../worker/shared/abort-run.ts'
import { moveRun } from '../../../worker/shared/move-run.ts'
import { redrive } from '../../../worker/shared/redrive.ts'
import { type StuckThread, stuckThreads } from '../../../worker/shared/stuck-threads.ts'
import type { Result } from '../../refusal.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { NOT_FOUND, ok } from '../refusals.ts'
import { authorOf } from '../requests/write-request.ts'
import { iso } from '../views/request-item.ts'
import { threadIdOf } from './visible-thread.ts'

/** The threads of the tenant that have something to do and are not driven. */
export async function stuckPage(store: Store, limit: number): Promise<ApiThreadPage> {
  const found = (await stuckThreads(store, { limit })).slice(0, limit)
  return { threads: await Promise.all(found.map((thread) => toItem(store, thread))) }
}

async function toItem(
  store: Store,
  { threadId: id, since, ...stuck }: StuckThread,
): Promise<ApiThreadPage['threads'][number]> {
  const { count: open } = await store.countRequests({ threadId: id, status: 'open' })
  return { id, open, lastAt: iso(since), stuck: { ...stuck, since: iso(since) } }
}

/** Lets workers try a thread again, on another version of its agent if told. */
export const retryRoute = apiRoute({
  method: 'POST',
  path: '/v1/threads/:id/retry',
  summary: 'Lets workers try a stuck thread again, or moves its run to another version, for operators and admins',
  body: retryBody,
  answer: retryResult,
  refusals: [409],
  handle: (call) =>
    operate(call, async (threadId) => {
      const { store, body } = call
      if (!('version' in body)) return { retried: await redrive(store, threadId) }
      const { version: to, reason } = body
      return { retried: await moveRun(store, { threadId, to, reason, by: authorOf(call) }) }
    }),
})

/** Ends the run of a thread for good. */
export const abortRoute = apiRoute({
  method: 'POST',
  path: '/v1/threads/:id/abort',
  summary: 'Ends the run of a thread for good and closes its requests, for operators and admins',
  body: abortBody,
  answer: abortResult,
  refusals: [409],
  handle: (call) =>
    operate(call, async (threadId) => {
      const { reason } = call.body
      return { aborted: await abortRun(call.store, { threadId, reason, by: authorOf(call) }) }
    }),
})

/** Acts on the thread that the address names, for operators and admins. For others it is absent, whether it exists or not. */
async function operate<T>(
  { caller, http }: Pick<ApiCall, 'caller' | 'http'>,
  act: (threadId: string) => Promise<T>,
): Promise<Result<T>> {
  const threadId = threadIdOf(http.param('id'))
  if (threadId === undefined || !mayOperate(caller)) return NOT_FOUND
  try {
    return ok(await act(threadId))
  } catch (error) {
    if (error instanceof ThreadNotFound) return NOT_FOUND
    throw error
  }
}
