import type { Desk } from '../../../src/desk/desk.ts'
import { openDesk } from '../../../src/desk/open-desk.ts'
import type { Store } from '../../../src/ports/store.ts'
import { HoldpointError } from '../../../src/protocol/errors/errors.ts'
import type { HitlRequest } from '../../../src/protocol/request.ts'
import type { Acknowledged } from '../../support/checker/evidence.ts'
import type { Random } from '../../support/random.ts'
import type { Machine } from '../engine/machine.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import { personOf } from './plan.ts'

/** A person at a desk. */
export interface Seat {
  readonly machine: Machine
  readonly scheduler: Scheduler
  readonly store: Store
  readonly tenants: readonly string[]
  /** From then on people answer everything at once. */
  isCalm(): boolean
  /** A decision or a withdrawal was acknowledged. */
  acknowledged(what: Omit<Acknowledged, 'at'>): void
}

/** What a person may do about a request. */
type Deed = 'approve' | 'edit' | 'reject' | 'respond' | 'undoable' | 'always' | 'capped'
const DEEDS: readonly Deed[] = [
  'approve',
  'approve',
  'edit',
  'reject',
  'respond',
  'undoable',
  'undoable',
  'capped',
  'always',
]

const LOOK_MS = 400

/** The desk of one tenant, and who sits at it. */
interface Place extends Seat {
  readonly desk: Desk
  readonly tenantId: string
  readonly by: string
}

/** Works at a desk until the process ends: looks at the inbox now and then, and decides something. */
export async function workAtDesk(seat: Seat): Promise<void> {
  const { scheduler, machine, store, tenants } = seat
  for (;;) {
    // People look at the same moments, so that they get in each other's way.
    const looks = seat.isCalm() ? 1 : 1 + scheduler.random.upTo(5)
    await scheduler.sleep(machine, looks * LOOK_MS - (scheduler.now % LOOK_MS))
    const tenantId = scheduler.random.pick(tenants)
    const by = personOf(machine.name, tenantId)
    const desk = openDesk({ store: store.tenant(tenantId) })
    try {
      const { requests } = await desk.list({ status: 'open' })
      if (requests.length === 0) continue
      // Some requests are left alone, so that deadlines pass.
      if (!seat.isCalm() && scheduler.random.upTo(5) === 0) continue
      const request = scheduler.random.upTo(1) === 0 ? requests[0]! : scheduler.random.pick(requests)
      const place = { ...seat, desk, tenantId, by }
      await (request.kind === 'approve' ? decideOne(place, request) : answerOne(place, request))
    } catch (error) {
      if (!HoldpointError.isInstance(error)) throw error
      scheduler.tell(machine.name, `${by} was told: ${error.code}`)
    }
  }
}

async function decideOne(seat: Place, request: HitlRequest): Promise<void> {
  const { scheduler, desk, tenantId, by, machine } = seat
  const deed = seat.isCalm() ? 'approve' : scheduler.random.pick(DEEDS)
  const answer = { request, by, ...toAnswer(deed, scheduler.random), idempotencyKey: `${by}-${scheduler.steps}` }
  scheduler.tell(machine.name, `${by}: ${deed} ${request.threadId} ${request.toolName} ${request.id.slice(-6)}`)
  await persist(seat, () => desk.decide(answer))
  seat.acknowledged({ tenantId, kind: 'decided', request: request.id, type: answer.decision.type })
  if (deed !== 'undoable' || scheduler.random.upTo(1) === 0) return
  await scheduler.sleep(machine, scheduler.random.upTo(2500))
  scheduler.tell(machine.name, `${by}: withdraw ${request.threadId} ${request.id.slice(-6)}`)
  await desk.withdraw(request.id, by)
  seat.acknowledged({ tenantId, kind: 'withdrawn', request: request.id, type: answer.decision.type })
}

/** Answers a question, or says that nobody can. */
async function answerOne(seat: Place, request: HitlRequest): Promise<void> {
  const { scheduler, desk, tenantId, by, machine } = seat
  const roll = seat.isCalm() ? 0 : scheduler.random.upTo(4)
  const idempotencyKey = `${by}-${scheduler.steps}`
  scheduler.tell(machine.name, `${by}: ${roll === 4 ? 'cancel' : 'answer'} ${request.threadId} ${request.kind}`)
  if (roll === 4) return void (await desk.cancel(request.id, { by, reason: 'nobody knows' }))
  const answer = request.kind === 'confirm' ? roll < 2 : { why: `because of ${roll}` }
  await persist(seat, () => desk.answer(request.id, answer, { by, idempotencyKey }))
  seat.acknowledged({ tenantId, kind: 'answered', request: request.id, type: JSON.stringify(answer) })
}

/** Sends the same answer again if it is not known what became of it, as the page does. */
async function persist<T>({ scheduler, machine }: Seat, send: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send()
    } catch (error) {
      if (!(HoldpointError.isInstance(error) && error.code === 'store_failed') || tries > 3) throw error
      await scheduler.sleep(machine, 100)
    }
  }
}

function toAnswer(deed: Deed, random: Random) {
  switch (deed) {
    case 'approve':
      return { decision: { type: 'approve' } } as const
    case 'edit':
      return { decision: { type: 'edit', args: { amount: 5 } } } as const
    case 'reject':
      return { decision: { type: 'reject', message: 'no' } } as const
    case 'respond':
      return { decision: { type: 'respond', message: 'ask again' } } as const
    case 'undoable':
      return { decision: { type: 'approve' }, undoSeconds: 2 } as const
    case 'always':
      return { decision: { type: 'approve' }, always: { scope: 'tenant', uses: 1 + random.upTo(1) } } as const
    case 'capped':
      return { decision: { type: 'approve' }, always: { scope: 'tenant', cap: { field: 'amount', max: 50 } } } as const
    default:
      return deed satisfies never
  }
}
