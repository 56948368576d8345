import { randomUUID } from 'node:crypto'
import type { Desk } from '../../src/desk/desk.ts'
import { openDesk } from '../../src/desk/open-desk.ts'
import type { HitlRequest } from '../../src/protocol/request.ts'
import type { Acknowledged } from '../support/checker/evidence.ts'
import { send } from '../support/gateway/gateway-process.ts'
import { pause } from '../support/until.ts'
import { patiently } from './patiently.ts'
import type { Place } from './place.ts'
import { GATEWAYS, type Kind, TENANTS } from './plan.ts'

/** What a person was told, and about which thread. */
export interface Told extends Acknowledged {
  readonly threadId: string
}

/** People who look at the inbox and decide, through whichever gateway answers. */
export interface People {
  /** What they were told to have happened. */
  readonly acknowledged: readonly Told[]
  /** Errors that no fault explains. */
  readonly errors: readonly unknown[]
  /** Lets them work until the signal is aborted. */
  work(signal: AbortSignal): Promise<void>
}

const AT_ONCE = 8

/** The desk of a tenant, and the token of who sits there. */
interface Office {
  readonly tenantId: string
  readonly token: string
  readonly desk: Desk
}

/** Seats people at the gateways of a place. */
export function seatPeople(place: Place): People {
  const acknowledged: Told[] = []
  const inHand = new Set<string>()
  const withdrawn = new Set<string>()
  const errors: unknown[] = []
  let ended = new AbortController().signal
  const offices = TENANTS.map(({ tenantId, person }) => ({
    tenantId,
    token: `${person}:operator:${tenantId}`,
    desk: openDesk({ store: place.store.tenant(tenantId) }),
  }))

  /** Sends the same write again, to one gateway after the other, until it is known what became of it. */
  async function post<T>({ token }: Office, path: string, body: object): Promise<{ status: number; body?: T }> {
    const key = randomUUID()
    for (let tries = 0; !ended.aborted; tries++) {
      const { unit } = place.members.get(GATEWAYS[(tries + inHand.size) % GATEWAYS.length]!)!
      const written = await send<T>({ url: unit.said }, path, { body, key, token, timeoutMs: 5000 })
      if (written && written.status < 500) return written
      await pause(100)
    }
    return { status: 0 }
  }

  async function decide(office: Office, request: HitlRequest): Promise<void> {
    const { tenantId } = office
    const { id, threadId, version, digest, toolCallId = '' } = request
    const kind = threadId.split('-')[0] as Kind
    const isUnknown = request.reason === 'unknown_outcome'
    const isPaid = place.effects.has({ tenantId, threadId, toolCallId })
    const deed = isUnknown ? afterUnknown(isPaid) : deedOf(kind, withdrawn.has(id))
    if (!deed || !isTime(kind, request)) return
    const { status, body } = await post<HitlRequest>(office, `/v1/requests/${id}/decide`, { version, digest, ...deed })
    if (status !== 200) return
    const type = deed.decision.type
    acknowledged.push({ tenantId, kind: 'decided', threadId, request: id, type, at: Date.now() })
    if (kind !== 'withdraw' || type !== 'approve' || isUnknown) return
    const taken = await post(office, `/v1/requests/${id}/withdraw`, { version: body?.version })
    if (taken.status !== 200) return
    withdrawn.add(id)
    acknowledged.push({ tenantId, kind: 'withdrawn', threadId, request: id, type, at: Date.now() })
  }

  async function answer(office: Office, { id, kind, threadId, version }: HitlRequest): Promise<void> {
    if (threadId.startsWith('unanswered' satisfies Kind)) return
    const { tenantId } = office
    const given = kind === 'confirm' ? true : { why: 'it came broken' }
    const { status } = await post(office, `/v1/requests/${id}/answer`, { version, answer: given })
    if (status !== 200) return
    const type = JSON.stringify(given)
    acknowledged.push({ tenantId, kind: 'answered', threadId, request: id, type, at: Date.now() })
  }

  /** Takes up what is open in a tenant. */
  async function look(office: Office): Promise<void> {
    const open = await patiently(() => office.desk.list({ status: 'open', limit: 200 }))
    for (const request of open.requests) {
      if (inHand.size >= AT_ONCE || inHand.has(request.id)) continue
      inHand.add(request.id)
      const done = request.kind === 'approve' ? decide(office, request) : answer(office, request)
      done.catch((error: unknown) => errors.push(error)).finally(() => inHand.delete(request.id))
    }
  }

  return {
    acknowledged,
    errors,
    async work(signal) {
      ended = signal
      while (!signal.aborted) {
        for (const office of offices) await look(office)
        await pause(100)
      }
    },
  }
}

/** Some decide just before the deadline, or a moment too late. */
function isTime(kind: Kind, { expiresAt }: HitlRequest): boolean {
  return kind !== 'late' || expiresAt === undefined || Date.parse(expiresAt) - Date.now() < 400
}

/** Whoever is asked what became of a call looks at the tools' own log. */
function afterUnknown(isPaid: boolean) {
  return isPaid
    ? ({ decision: { type: 'reject', message: 'it was paid' }, undoSeconds: 0 } as const)
    : ({ decision: { type: 'approve' }, undoSeconds: 0 } as const)
}

function deedOf(kind: Kind, isWithdrawn: boolean) {
  switch (kind) {
    case 'approve':
    case 'nested':
    case 'late':
      return { decision: { type: 'approve' }, undoSeconds: 0 } as const
    case 'edit':
      return { decision: { type: 'edit', args: { amount: 7 } }, undoSeconds: 0 } as const
    case 'reject':
      return { decision: { type: 'reject', message: 'no' }, undoSeconds: 0 } as const
    case 'expire':
    case 'confirm':
    case 'ask':
    case 'unanswered':
      return undefined
    case 'undo':
      return { decision: { type: 'approve' }, undoSeconds: 1 } as const
    case 'withdraw':
      return isWithdrawn
        ? ({ decision: { type: 'reject', message: 'on second thoughts' }, undoSeconds: 0 } as const)
        : ({ decision: { type: 'approve' }, undoSeconds: 5 } as const)
    case 'grant':
      return {
        decision: { type: 'approve' },
        always: { scope: 'tenant', uses: 3, cap: { field: 'amount', max: 30 } },
        undoSeconds: 0,
      } as const
    default:
      return kind satisfies never
  }
}
