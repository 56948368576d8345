import { wakeAt } from '../core/wake.ts'
import type { BoundPolicy } from '../policy/compose.ts'
import type { WakeUp } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'
import { ThreadBusy } from '../protocol/errors/errors.ts'
import { uuidSource } from '../protocol/uuid.ts'
import type { AgentDefinition } from '../runtime/definition/definition.ts'
import { DriveTrace } from '../runtime/events/drive-trace.ts'
import { requireAgents } from '../runtime/frames/frame-agents.ts'
import { Journal } from '../runtime/journal/journal.ts'
import { markWake } from '../runtime/journal/mark-wake.ts'
import { type Ending, Loop } from '../runtime/loop/loop.ts'
import { LONGEST_MS } from './back-off.ts'
import { routeOf } from './shared/routes.ts'

/** What driving a thread needs. */
export interface DriveParts {
  readonly store: Store
  /** By route. */
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly deps: unknown
  readonly policies: readonly BoundPolicy[]
  readonly leaseMs: number | undefined
}

/** What was driven, and how long it had been due. */
interface DrivenPlace {
  readonly agent: string
  readonly version: string | null
  readonly lateMs: number
}

/** What came of driving a thread. */
export type Driven =
  | { kind: 'over' | 'handed_over'; place: DrivenPlace }
  /** `againInMs`: it has to be driven again then. `null`: only people can move it. */
  | { kind: 'waiting'; place: DrivenPlace; againInMs: number | null }
  | { kind: 'not_due'; againInMs: number | null }
  | { kind: 'busy' }
  /** Its run belongs to other workers. */
  | { kind: 'elsewhere'; route: string }
  | { kind: 'failed'; error: unknown }

/** One drive of one thread, from its wake-up to where it waits or is over. */
export class ThreadDrive {
  readonly #parts: DriveParts
  readonly #wakeUp: WakeUp
  readonly #stop = new AbortController()
  #loop: Loop | undefined
  #isDetached = false

  constructor(parts: DriveParts, wakeUp: WakeUp) {
    this.#parts = parts
    this.#wakeUp = wakeUp
  }

  /** Leaves the rest to others at the next safe point: bodies that run are finished, nothing new starts. */
  detach(): void {
    this.#isDetached = true
    this.#loop?.detach()
  }

  /** Stops at once. */
  abort(): void {
    this.#stop.abort()
  }

  /** Drives it. Called once. Never rejects. */
  async run(): Promise<Driven> {
    try {
      return await this.#run()
    } catch (error) {
      return error instanceof ThreadBusy ? { kind: 'busy' } : { kind: 'failed', error }
    }
  }

  async #run(): Promise<Driven> {
    const { store, agents, leaseMs, deps, policies } = this.#parts
    const { tenantId, threadId } = this.#wakeUp
    const journal = await Journal.openToDrive(store.tenant(tenantId), threadId)
    if (isMarkedAhead(journal)) await markWake(journal)
    const dueAt = journal.wakeAt ?? Number.POSITIVE_INFINITY
    if (dueAt > journal.now()) return { kind: 'not_due', againInMs: againIn(journal) }
    const lateMs = journal.now() - dueAt
    const { run } = journal.state
    if (run?.status !== 'open') {
      await markWake(journal)
      return { kind: 'not_due', againInMs: null }
    }
    const { id, version = null } = run.agent
    const route = routeOf(id, version)
    const agent = agents.get(route)
    if (!agent) return { kind: 'elsewhere', route }
    requireAgents(agent, run)
    const signal = this.#stop.signal
    const own = { newId: uuidSource(), deps, signal, policies, whenWaiting: 'leave' } as const
    const trace = DriveTrace.begin(journal, { lateMs })
    const loop = new Loop(agent, journal, { ...own, leaseMs, inCall: trace?.inCall })
    this.#loop = loop
    if (this.#isDetached) loop.detach()
    const ending = await (trace ? trace.over(() => this.#drive(loop), signal) : this.#drive(loop))
    return toDriven(ending, { agent: id, version, lateMs }, againIn(journal))
  }

  async #drive(loop: Loop): Promise<Ending> {
    const ending = await loop.drive()
    const { journal, activation } = loop.parts
    // Nothing was done, so that no append has moved the mark.
    if (!activation.began && ending.kind !== 'failed') await markWake(journal)
    return ending
  }
}

/** Whether the mark is later than the thread's state and a failed drive can explain: a clock that was ahead gave it, and nobody would come until then. */
function isMarkedAhead(journal: Journal): boolean {
  const now = journal.now()
  const rightAt = wakeAt(journal.state, now)
  return rightAt !== null && (journal.wakeAt ?? 0) > Math.max(now, rightAt) + LONGEST_MS
}

/** When a thread must be driven again, if that is known. */
function againIn(journal: Journal): number | null {
  const { wakeAt } = journal
  return typeof wakeAt === 'number' ? Math.max(0, wakeAt - journal.now()) : null
}

function toDriven(ending: Ending, place: DrivenPlace, againInMs: number | null): Driven {
  switch (ending.kind) {
    case 'settled':
      return { kind: 'over', place }
    case 'paused':
      return { kind: 'waiting', place, againInMs }
    case 'stopped':
      return { kind: 'handed_over', place }
    case 'overtaken':
      return { kind: 'busy' }
    case 'failed':
      return { kind: 'failed', error: ending.error }
    default:
      return ending satisfies never
  }
}
