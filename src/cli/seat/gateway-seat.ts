import type { GrantItem, InboxClient, RequestItem } from '../../client.ts'
import { HitlNoPendingRequest, type HitlRequest, type JsonValue } from '../../index.ts'
import { GrantNotFound } from '../../protocol/errors/errors.ts'
import { UsageError } from '../command-line/errors.ts'
import { found } from './found.ts'
import { gatewayNotes } from './gateway-notes.ts'
import { gatewayRecords } from './gateway-records.ts'
import type { Seat, SeatGrant, SeatRequest, Terms } from './seat.ts'

/** A seat at a gateway. Its token says who the author is. */
export function gatewaySeat(client: InboxClient, { option, place }: { option: string; place: string }): Seat {
  return {
    option,
    place,
    who: async () => (await client.me()).id,
    async list({ threadId, status = 'all' as const, ...query }) {
      const filter = { status, ...query, ...(threadId === undefined ? {} : { thread: threadId }) }
      const { requests, next } = await client.requests(filter)
      return { requests: requests.map(toRequest), ...(next === undefined ? {} : { next }) }
    },
    async get(id) {
      const { request, resumable } = await found(client.request(id), new HitlNoPendingRequest(id))
      return { ...toRequest(request), ...(resumable && { resumable }) }
    },
    async decide(request, decision, { always, ...terms }) {
      const { idempotencyKey, ...seen } = seenOf(request, terms)
      const body = { decision, ...seen, ...(always === undefined ? {} : { always }) }
      return toRequest(await client.decide(request.id, body, keyOf(idempotencyKey)))
    },
    async answer(request, answer, terms) {
      const { idempotencyKey, undoSeconds: _undo, ...seen } = seenOf(request, terms)
      const body = { answer: answer as JsonValue, ...seen }
      return toRequest(await client.answer(request.id, body, keyOf(idempotencyKey)))
    },
    async cancel({ id, version: seen }, { reason, version = seen }) {
      return toRequest(await client.cancel(id, { version, reason }))
    },
    withdraw: async ({ id, version }) => toRequest(await client.withdraw(id, { version })),
    async grants({ threadId, ...query }) {
      const { grants, next } = await client.grants({
        ...query,
        limit: 200,
        ...(threadId === undefined ? {} : { thread: threadId }),
      })
      return { grants: grants.map(toGrant), ...(next === undefined ? {} : { next }) }
    },
    grant: (id) => grantOf(client, id),
    async revoke(id, reason) {
      const revoked = client.revoke(id, reason === undefined ? {} : { reason })
      return toGrant(await found(revoked, new GrantNotFound(id)))
    },
    notes: gatewayNotes(client),
    records: gatewayRecords(client),
    async watch({ onChange, onState, signal }) {
      let refused: Error | undefined
      const stream = client.events({
        onEvent: onChange,
        onState(state, problem) {
          if (state === 'closed') refused = problem
          onState?.(state)
        },
        signal,
      })
      await stream.ended
      if (refused) throw refused
    },
  }
}

/** There is no route for one grant: it is looked for in the list. */
async function grantOf(client: InboxClient, id: string): Promise<SeatGrant> {
  let cursor: string | undefined
  do {
    const page = await client.grants({ status: 'all', limit: 200, ...(cursor === undefined ? {} : { cursor }) })
    const grant = page.grants.find((each) => each.id === id)
    if (grant) return toGrant(grant)
    cursor = page.next
  } while (cursor !== undefined)
  throw new GrantNotFound(id)
}

/** The version and digest that were read. A decided request was one version lower when it was open: a repeated command sends the same body. */
function seenOf(request: HitlRequest, terms: Terms): Omit<Terms, 'always'> & { version: number } {
  const { version = request.status === 'decided' ? request.version - 1 : request.version, ...rest } = terms
  const { digest = request.digest } = terms
  return { ...rest, version, ...(digest === undefined ? {} : { digest }) }
}

function keyOf(idempotencyKey: string | undefined): { idempotencyKey?: string } {
  if (idempotencyKey === undefined) return {}
  if (!/^[\x20-\x7e]{1,200}$/.test(idempotencyKey))
    throw new UsageError('--idempotency-key must be 1 to 200 printable ASCII characters')
  return { idempotencyKey }
}

/** A request of the API in the shape that the desk gives. */
function toRequest({ decided, answered, closed, hidden: _hidden, title: _title, ...item }: RequestItem): SeatRequest {
  return {
    ...item,
    ...(decided
      ? { decision: { ...decided.decision, by: decided.by, at: decided.at, effectiveAt: decided.effectiveAt } }
      : {}),
    ...(answered ? { answer: { value: answered.value, by: answered.by, at: answered.at } } : {}),
    ...(closed?.reason === undefined ? {} : { closedReason: closed.reason }),
  }
}

function toGrant({ tool, decision, uses, cap, spent, scope, request, ...item }: GrantItem): SeatGrant {
  return {
    ...item,
    scope: scope as SeatGrant['scope'],
    effect: decision === 'approve' ? 'allow' : 'deny',
    toolName: tool,
    requestId: request,
    ...(uses === null ? {} : { uses }),
    ...(cap === null ? {} : { cap: { max: cap }, spent }),
  }
}
