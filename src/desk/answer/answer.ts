import { planClosed } from '../../core/plan/waits.ts'
import { projectRequests } from '../../core/views/project.ts'
import { toHitlRequest } from '../../core/views/request-view.ts'
import type { RecordChange } from '../../ports/records.ts'
import type { Actor } from '../../protocol/decision.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { findRequest, type RequestRef } from '../find.ts'
import type { DeskOptions } from '../options.ts'
import { commit } from '../record/commit.ts'
import { markOf } from '../record/mark.ts'
import { parseActor, parseWords } from '../record/on-record.ts'
import { requireRecords } from '../record/records.ts'
import type { Answer } from './answer-shape.ts'
import { stale } from './check.ts'
import { decide } from './decide.ts'

/** Answers one request of any kind. The first answer wins; the same answer again succeeds without effect. */
export async function answerRequest(options: DeskOptions, answer: Answer): Promise<HitlRequest> {
  const [answered] = await decide(options, [answer])
  return answered as HitlRequest
}

/** Closes an open request without an answer. */
export async function closeRequest(
  options: Pick<DeskOptions, 'store' | 'threadId'>,
  ref: RequestRef,
  {
    records,
    version: seen,
    ...given
  }: {
    status: 'cancelled' | 'expired' | 'aborted'
    reason?: string
    by: string | Actor
    version?: number
    records?: readonly RecordChange[]
  },
): Promise<HitlRequest> {
  const why = { ...given, by: parseActor(given.by) }
  parseWords('reason', why.reason)
  return commit('Closing a request', async () => {
    const facts = await findRequest(options.store, ref, { threadId: options.threadId })
    const { opened, version, threadId } = facts
    if (facts.status !== 'open' || (seen !== undefined && seen !== version)) throw stale(facts)
    const entry = planClosed({ opened, version }, why)
    const entries = [JSON.stringify(entry)]
    const requests = projectRequests([entry], threadId)
    const outcome = await options.store.append({
      ...{ threadId, entries, requests },
      ...(records ? { records } : {}),
      ...markOf([entry], [facts]),
    })
    requireRecords(outcome)
    const closed = { status: why.status, version: version + 1, changed: entry }
    return outcome.ok ? { done: toHitlRequest({ ...facts, ...closed, changedAt: outcome.at }) } : undefined
  })
}
