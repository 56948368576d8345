import type { RecordChange } from '../../../ports/records.ts'
import { type BulkBody, type BulkResult, bulkBody, bulkResult } from '../../../protocol/api/requests.ts'
import { sha256 } from '../../../protocol/json/canonical.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { errorFields } from '../../log.ts'
import { type Result, troubleOf } from '../../refusal.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { keyOf, type Once } from '../idempotency.ts'
import { codeOf, ok, refusalOf, refuseWith } from '../refusals.ts'
import type { KnownRequest } from '../views/request-item.ts'
import { decideIt } from './decide.ts'
import { writeItem } from './write-request.ts'

type Item = BulkBody['items'][number]
type Outcome = BulkResult['outcomes'][number]

/** How many requests are decided at the same time. */
const AT_ONCE = 8

/** Decides several requests, each as it was seen. One that cannot be decided stops no other. */
export const bulkRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/decide',
  summary: 'Decides up to 100 requests, named one by one, with an outcome for each',
  body: bulkBody,
  answer: bulkResult,
  keyed: true,
  async handle(call) {
    const key = keyOf(call)
    if (!key.ok) return key
    const left = [...call.body.items.entries()]
    const outcomes: Outcome[] = []
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift())
        outcomes[next[0]] = await decideOne(call, next[1], key.value)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return ok({ outcomes } satisfies BulkResult)
  },
})

async function decideOne(call: ApiCall<unknown, BulkBody>, item: Item, key: string | undefined): Promise<Outcome> {
  const { items: _items, ...rest } = call.body
  const body = { ...rest, ...item }
  const outcome = await writeItem(call, {
    id: item.id,
    body,
    // One key for each request: what was done before a crash is not done again, and the rest is.
    key: key && sha256(JSON.stringify([key, item.id])),
    change: (known, records) => decideInBulk(call, { known, records, body }),
  }).catch((error: unknown): Once<never> => {
    const refusal = refusalOf(error)
    if (!refusal) call.parts.logger?.error({ request: item.id, ...errorFields(error) }, 'a decision in bulk failed')
    return { ok: false, refusal: refusal ?? troubleOf(error) }
  })
  if (outcome.ok) return { id: item.id, ok: true, request: outcome.value }
  const { refusal } = outcome
  return { id: item.id, ok: false, code: codeOf(refusal), detail: refusal.detail }
}

/** Only what can be overlooked in a list is decided in one: a form, a question and a call of high risk must be opened. */
async function decideInBulk(
  call: ApiCall,
  {
    known,
    records,
    body: { id: _id, decision, ...body },
  }: {
    known: KnownRequest
    records: readonly RecordChange[]
    body: Item & Omit<BulkBody, 'items'>
  },
): Promise<Result<void>> {
  const { kind, risk } = known.facts.opened
  if (kind !== 'approve') return alone(`A ${kind} needs its own answer.`)
  if (risk === 'high') return alone('A call of high risk is decided on its own.')
  const allowed = call.parts.writeLimiter.take(call.caller)
  if (!allowed.ok) return allowed
  return decideIt(call, { known, records, ...body, decision: decision as JsonObject })
}

function alone(detail: string): Result<never> {
  return refuseWith({ status: 422, code: 'not_in_bulk', detail })
}
