import { mayRevoke, mayWrite, readersOf } from '../../../core/access.ts'
import { valueAt } from '../../../core/display/value-at.ts'
import type { StandingGrant } from '../../../core/views/grant-view.ts'
import type { RequestFacts } from '../../../core/views/request-view.ts'
import { type GrantItem, grantItem, grantPage, grantQuery, revokeBody } from '../../../protocol/api/records.ts'
import type { Result } from '../../refusal.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { cursorsOf } from '../cursors.ts'
import { keyOf, once } from '../idempotency.ts'
import { NOT_FOUND, notAllowed, ok } from '../refusals.ts'
import { keptPage } from '../requests/seen-pages.ts'
import { isId, visibleRequest } from '../requests/visible-request.ts'
import { authorOf, toAnswer } from '../requests/write-request.ts'
import { toGrantItem } from '../views/grant-item.ts'
import { seenGrants } from './visible-grants.ts'

/** Standing decisions that were given with requests which the caller sees. */
export const grantsRoute = apiRoute({
  method: 'GET',
  path: '/v1/grants',
  summary: 'Standing decisions, newest first',
  query: grantQuery,
  answer: grantPage,
  async handle(call) {
    const { thread, limit, cursor, ...query } = call.query
    if (readersOf(call.caller)?.length === 0) return ok({ grants: [] })
    const cursors = await cursorsOf(call, 'grants')
    const start = cursors.open(cursor)
    if (!start.ok) return start
    // One more than the limit: there is a next page only if the caller sees something of it.
    const page = await keptPage({ limit: limit + 1, ...start.value }, async (place) => {
      const of = thread === undefined ? {} : { threadId: thread }
      const found = await call.desk.grants({ ...query, ...of, ...place })
      return { items: await seenGrants(call, found.grants), next: found.next }
    })
    const seen = page.items.slice(0, limit)
    const grants = await Promise.all(seen.map((grant) => shownGrant(call, grant)))
    return ok({ grants, ...cursors.seal(page.items.length > limit ? seen.at(-1)?.id : page.next) })
  },
})

/** Ends a standing decision. */
export const revokeRoute = apiRoute({
  method: 'POST',
  path: '/v1/grants/:id/revoke',
  summary: 'Ends a standing decision: from then on it covers nothing',
  body: revokeBody,
  answer: grantItem,
  keyed: true,
  async handle(call) {
    const key = keyOf(call)
    if (!key.ok) return key
    const id = call.http.param('id')
    const grant = await seenGrant(call, id)
    if (!grant) return NOT_FOUND
    if (!mayWrite(call.caller) || !mayRevoke(call.caller, grant))
      return notAllowed(`Only ${grant.by.id}, who gave it, an operator or an admin can revoke this grant.`)
    const show = async (): Promise<Result<GrantItem>> => {
      const now = await seenGrant(call, id)
      return now ? ok(await shownGrant(call, now)) : NOT_FOUND
    }
    const outcome = await once(call, key.value, {
      body: call.body,
      replay: show,
      async write(records) {
        await call.desk.revoke(id, { by: authorOf(call), ...call.body, records })
        return show()
      },
    })
    return toAnswer(outcome)
  },
})

async function seenGrant(call: ApiCall, id: string): Promise<StandingGrant | undefined> {
  if (!isId(id)) return undefined
  const [grant] = await seenGrants(call, [await call.desk.grant(id)])
  return grant
}

/** A grant with the currency of its cap, which is known from the request that it was given with. */
async function shownGrant(call: ApiCall, grant: StandingGrant): Promise<GrantItem> {
  const request = grant.cap ? await visibleRequest(call, grant.requestId) : undefined
  return toGrantItem(grant, grant.cap && request?.ok ? moneyOf(request.value.facts.opened, grant.cap.field) : undefined)
}

function moneyOf({ display, args = {} }: RequestFacts['opened'], path: string): GrantItem['money'] {
  const field = display?.fields.find((each) => each.path === path && each.format === 'money')
  const currency = typeof field?.currency === 'object' ? valueAt(args, field.currency.path) : field?.currency
  return typeof currency === 'string' ? { currency, unit: field?.unit ?? 'major' } : undefined
}
