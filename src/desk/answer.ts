import { planAnswered, planClosed } from '../core/plan/waits.ts'
import { projectRequests } from '../core/project.ts'
import { toHitlRequest } from '../core/request-view.ts'
import { checkAnswer } from '../protocol/answer.ts'
import type { Actor } from '../protocol/decision.ts'
import type { JsonValue } from '../protocol/json.ts'
import { jsonEqual } from '../protocol/json.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { stale } from './check.ts'
import { commit } from './commit.ts'
import { type DeskOptions, decide } from './decide.ts'
import { changesInTime, writeDeadlines } from './expiry.ts'
import { findRequest, type RequestRef } from './find.ts'
import { parseActor, parseWords } from './on-record.ts'

/** An answer of any kind: a decision to `approve`, a boolean to `confirm`, an object of texts to `ask`. */
export interface AnyAnswer {
  request: RequestRef
  answer: unknown
  by: Actor
  version?: number
  /** For the record; never shown to the model. */
  comment?: string
  /** Takes it as it is: for test doubles. */
  unchecked?: boolean
}

/** Answers one request, whatever its kind. The same rules as for decisions: the first wins, the same again is accepted as done. */
export async function answerRequest(options: DeskOptions, given: AnyAnswer): Promise<HitlRequest> {
  const by = parseActor(given.by)
  const comment = parseWords('comment', given.comment)
  return commit('Answering a request', async ({ first }) => {
    const known = first ? options.known?.(given.request) : undefined
    const facts = known ?? (await findRequest(options.store, given.request, options.threadId))
    const { opened, changed, version, threadId } = facts
    if (opened.kind === 'approve') {
      const answered = {
        ...(given.version === undefined ? {} : { version: given.version }),
        ...(comment === undefined ? {} : { comment }),
      }
      const [decided] = await decide(options, [{ request: opened.id, decision: given.answer, by, ...answered }])
      return { done: decided as HitlRequest }
    }
    const asked = {
      questionId: opened.questionId,
      kind: opened.kind,
      ...(opened.questions ? { questions: opened.questions } : {}),
    }
    const value = given.unchecked ? (given.answer as JsonValue) : checkAnswer(asked, given.answer)
    if (facts.status === 'decided' && changed?.type === 'request.answered') {
      if (jsonEqual(changed.answer, value) && changed.by.kind === by.kind && changed.by.id === by.id)
        return { done: toHitlRequest(facts) }
    }
    if (facts.status !== 'open' || (given.version !== undefined && given.version !== version)) throw stale(facts)
    const entry = planAnswered({ opened, version }, { value, by, comment })
    const outcome = await options.store.append({
      threadId,
      entries: [JSON.stringify(entry)],
      requests: changesInTime([entry], [facts]),
    })
    if (outcome.ok) {
      const settled = { status: 'decided', version: version + 1, changed: entry, changedAt: outcome.at } as const
      return { done: toHitlRequest({ ...facts, ...settled }) }
    }
    await writeDeadlines(options.store, [facts], outcome)
    return undefined
  })
}

/** Closes an open request without an answer. */
export async function closeRequest(
  options: Pick<DeskOptions, 'store' | 'threadId'>,
  ref: RequestRef,
  given: { status: 'cancelled' | 'expired' | 'aborted'; reason?: string; by: Actor },
): Promise<HitlRequest> {
  const why = { ...given, by: parseActor(given.by) }
  parseWords('reason', why.reason)
  return commit('Closing a request', async () => {
    const facts = await findRequest(options.store, ref, options.threadId)
    const { opened, version, threadId } = facts
    if (facts.status !== 'open') throw stale(facts)
    const entry = planClosed({ opened, version }, why)
    const entries = [JSON.stringify(entry)]
    const outcome = await options.store.append({ threadId, entries, requests: projectRequests([entry]) })
    const closed = { status: why.status, version: version + 1, changed: entry }
    return outcome.ok ? { done: toHitlRequest({ ...facts, ...closed, changedAt: outcome.at }) } : undefined
  })
}
