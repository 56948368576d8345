import { z } from 'zod'
import type { RecordChange, RecordStore } from '../../ports/records.ts'
import { canonicalJson, sha256 } from '../../protocol/json/canonical.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import { IDEMPOTENCY } from '../../protocol/record-kinds.ts'
import type { Result } from '../refusal.ts'
import { refuse } from '../refusal.ts'
import type { ApiCall } from './api-route.ts'
import { ok, refuseWith } from './refusals.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
/** Printable ASCII, as HTTP headers carry it. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/

const stored = z.object({ body: z.string(), status: z.number(), subject: z.string().exactOptional() })

/** A write that is done once for its key. */
export interface KeyedWrite<T> {
  /** What was sent: a key that comes with something else is refused. */
  readonly body: unknown
  /** The status of its answer, which a repeated write gets too. Default 200. */
  readonly status?: number
  /** What is written to, such as the id of the request. */
  readonly subject?: string
  /** Where the key is kept. Default: with the records of the tenant. It must be what `write` writes to. */
  readonly keys?: RecordStore
  /** Writes, with these records in the same transaction. */
  write(records: readonly RecordChange[]): Promise<Result<T>>
  /** The answer to a write that was done before, to the subject that it had. */
  replay(subject: string | undefined): Promise<Result<T>>
}

/** The outcome of a write. `replayed`: it is that of an earlier one, which was answered with this status. */
export type Once<T> = Result<T> & { replayed?: number }

/** The key that a call brings, if any. */
export function keyOf({ http }: Pick<ApiCall, 'http'>): Result<string | undefined> {
  const key = http.header('idempotency-key')
  if (key === undefined || KEY.test(key)) return ok(key)
  return refuse(400, 'Idempotency-Key must have 1 to 200 printable ASCII characters.')
}

/**
 * Does a write once. The key is stored in the write's own transaction, for 24 hours, with a hash of the body: the same key again has no second
 * effect, also after a crash and at another gateway. Keys belong to one person and one path. A refused write stores nothing and may be tried again.
 */
export async function once<T>(call: ApiCall, key: string | undefined, keyed: KeyedWrite<T>): Promise<Once<T>> {
  if (key === undefined) return keyed.write([])
  const owner = [call.caller.sub, `${call.http.request.method} ${pathOf(call)}`, key]
  const id = sha256(JSON.stringify(keyed.keys ? [call.caller.tenant, ...owner] : owner))
  const body = sha256(canonicalJson(keyed.body as JsonValue))
  const before = await replayOf(call, { id, body }, keyed)
  if (before) return before
  const value = JSON.stringify({
    body,
    status: keyed.status ?? 200,
    ...(keyed.subject === undefined ? {} : { subject: keyed.subject }),
  })
  const record: RecordChange = { op: 'put', kind: IDEMPOTENCY, id, value, expect: 0, ttlMs: KEPT_MS }
  try {
    const outcome = await keyed.write([record])
    // A write with the same key may have been stored since the search above, and is why this one was refused.
    return outcome.ok ? outcome : ((await replayOf(call, { id, body }, keyed)) ?? outcome)
  } catch (error) {
    const since = await replayOf(call, { id, body }, keyed)
    if (since) return since
    throw error
  }
}

async function replayOf<T>(
  { store }: ApiCall,
  { id, body }: { id: string; body: string },
  keyed: KeyedWrite<T>,
): Promise<Once<T> | undefined> {
  const found = await (keyed.keys ?? store).readRecord(IDEMPOTENCY, id)
  if (!found) return undefined
  const before = stored.parse(JSON.parse(found.value))
  if (before.body !== body)
    return refuseWith({
      status: 422,
      code: 'idempotency_mismatch',
      detail: 'This Idempotency-Key was used before with another body. Use a new key for a new write.',
    })
  const outcome = await keyed.replay(before.subject)
  return outcome.ok ? { ...outcome, replayed: before.status } : outcome
}

function pathOf({ http }: ApiCall): string {
  return new URL(http.request.url).pathname
}
