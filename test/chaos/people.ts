import { randomUUID } from 'node:crypto'
import { openDesk } from '../../src/desk/open-desk.ts'
import type { HitlRequest } from '../../src/protocol/request.ts'
import type { Acknowledged } from '../support/checker/evidence.ts'
import { send } from '../support/gateway/gateway-process.ts'
import { pause } from '../support/until.ts'
import { patiently } from './patiently.ts'
import type { Place } from './place.ts'
import { GATEWAYS, type Kind } from './plan.ts'

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

/** Seats people at the gateways of a place. */
export function seatPeople(place: Place): People {
  const acknowledged: Told[] = []
  const inHand = new Set<string>()
  const withdrawn = new Set<string>()
  const errors: unknown[] = []
  const desk = openDesk({ store: place.store })

  /** Sends the same write again, to one gateway after the other, until it is known what became of it. */
  async function post<T>(path: string, body: object): Promise<{ status: number; body: T }> {
    const key = randomUUID()
    for (let tries = 0; ; tries++) {
      const { unit } = place.members.get(GATEWAYS[(tries + inHand.size) % GATEWAYS.length]!)!
      const written = await send<T>({ url: unit.said }, path, { body, key })
      if (written && written.status < 500) return written
      await pause(100)
    }
  }

  async function decide(request: HitlRequest): Promise<void> {
    const kind = request.threadId.split('-')[0] as Kind
    const isPaid = place.effects.has(request.threadId, request.toolCallId ?? '')
    const deed = request.reason === 'unknown_outcome' ? afterUnknown(isPaid) : deedOf(kind, withdrawn.has(request.id))
    if (!deed) return
    const { id, threadId, version, digest } = request
    const { status, body } = await post<HitlRequest>(`/v1/requests/${id}/decide`, { version, digest, ...deed })
    if (status !== 200) return
    const type = deed.decision.type
    acknowledged.push({ tenantId: 'default', kind: 'decided', threadId, request: id, type, at: Date.now() })
    if (kind !== 'withdraw' || type !== 'approve' || request.reason === 'unknown_outcome') return
    const taken = await post(`/v1/requests/${id}/withdraw`, { version: body.version })
    if (taken.status !== 200) return
    withdrawn.add(id)
    acknowledged.push({ tenantId: 'default', kind: 'withdrawn', threadId, request: id, type, at: Date.now() })
  }

  return {
    acknowledged,
    errors,
    async work(signal) {
      while (!signal.aborted) {
        const open = await patiently(() => desk.list({ status: 'open', limit: 200 }))
        for (const request of open.requests) {
          if (inHand.size >= AT_ONCE || inHand.has(request.id)) continue
          inHand.add(request.id)
          decide(request)
            .catch((error: unknown) => errors.push(error))
            .finally(() => inHand.delete(request.id))
        }
        await pause(100)
      }
    },
  }
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
      return { decision: { type: 'approve' }, undoSeconds: 0 } as const
    case 'edit':
      return { decision: { type: 'edit', args: { amount: 7 } }, undoSeconds: 0 } as const
    case 'reject':
      return { decision: { type: 'reject', message: 'no' }, undoSeconds: 0 } as const
    case 'expire':
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
