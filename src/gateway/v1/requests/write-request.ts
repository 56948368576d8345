import { mayWrite } from '../../../core/access.ts'
import type { RecordChange } from '../../../ports/records.ts'
import type { RequestItem } from '../../../protocol/api/requests.ts'
import type { Actor } from '../../../protocol/decision.ts'
import { type ErrorCode, HoldpointError } from '../../../protocol/errors/error-base.ts'
import { actorOf } from '../../auth/auth.ts'
import type { Reply } from '../../http/reply.ts'
import { jsonText } from '../../http/reply.ts'
import type { Result } from '../../refusal.ts'
import type { ApiCall } from '../api-route.ts'
import { keyOf, type Once, once } from '../idempotency.ts'
import { ok, READ_ONLY, refuseWith } from '../refusals.ts'
import { type KnownRequest, toRequestItem } from '../views/request-item.ts'
import { visibleRequest } from './visible-request.ts'

/** Changes a request; resolves to a refusal, or to nothing if it was done. */
export type ChangeRequest = (known: KnownRequest, records: readonly RecordChange[]) => Promise<Result<void>>

/** Writes to the request of the path, once for an idempotency key, and answers with the request as it is then. */
export async function writeToRequest(call: ApiCall, change: ChangeRequest): Promise<Result<unknown> | Reply> {
  const key = keyOf(call)
  if (!key.ok) return key
  return toAnswer(await writeItem(call, { id: call.http.param('id'), key: key.value, body: call.body, change }))
}

/** One write to one request. */
export interface RequestWrite {
  readonly id: string
  readonly key: string | undefined
  readonly body: unknown
  readonly change: ChangeRequest
}

/** The same for a request that is named, and without writing the response. */
export async function writeItem(call: ApiCall, { id, key, body, change }: RequestWrite): Promise<Once<RequestItem>> {
  const known = await visibleRequest(call, id)
  if (!known.ok) return known
  if (!mayWrite(call.caller)) return READ_ONLY
  const show = async (): Promise<Result<RequestItem>> => {
    const now = await visibleRequest(call, id)
    return now.ok ? ok(toRequestItem(now.value, call.caller)) : now
  }
  return once(call, key, {
    body,
    subject: id,
    replay: show,
    async write(records) {
      const done = await change(known.value, records).catch((error: unknown) => asConflict(error, show))
      return done.ok ? show() : done
    },
  })
}

/** The response to a write that may be a repeated one. */
export function toAnswer<T>(outcome: Once<T>): Result<T> | Reply {
  if (!outcome.ok || outcome.replayed === undefined) return outcome
  const reply: Reply =
    outcome.value === undefined
      ? { status: 204, body: null }
      : jsonText(JSON.stringify(outcome.value), outcome.replayed)
  return { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } }
}

const CONFLICTS: readonly ErrorCode[] = ['stale_answer', 'request_changed', 'request_taken']

/** A request that is not as it was seen: 409 with the request as it is now. Other errors are thrown again. */
async function asConflict(error: unknown, show: () => Promise<Result<RequestItem>>): Promise<Result<never>> {
  if (!HoldpointError.isInstance(error)) throw error
  if (!CONFLICTS.includes(error.code)) throw error
  const now = await show()
  if (!now.ok) return now
  const settled = now.value.status === 'open' ? 'request_changed' : 'already_decided'
  const code = error.code === 'request_taken' ? 'taken' : settled
  return refuseWith({ status: 409, code, detail: error.message, more: { request: now.value } })
}

/** Who writes, as it is recorded. */
export function authorOf({ caller }: ApiCall): Actor {
  return actorOf(caller, caller.via ?? 'api')
}

/** The trace of the caller, as their request names it. The desk ignores an invalid one. */
export function traceOf({ http }: ApiCall): { traceparent: string | undefined } {
  return { traceparent: http.header('traceparent') }
}
