import type { Store } from '../../../src/ports/store.ts'
import type { ToolContext } from '../../../src/runtime/definition/tool/tool-context.ts'
import { memoryStore } from '../../../src/store/memory/store.ts'
import { createWorker, type ThreadWorker } from '../../../src/worker/create-worker.ts'
import { enqueueRun } from '../../../src/worker/enqueue-run.ts'
import type { WorkerEvent } from '../../../src/worker/events.ts'
import type { Acknowledged, Effect, ErasedThread } from '../../support/checker/evidence.ts'
import {
  isOperationFault,
  isRingFault,
  isTimedFault,
  type Operation,
  type OperationFault,
  type TimedFault,
} from '../engine/faults.ts'
import { here, Machine } from '../engine/machine.ts'
import { type Network, nameOf, perform, remoteStore } from '../engine/network.ts'
import { QueueEngine } from '../engine/queue.ts'
import { Scheduler, START } from '../engine/scheduler.ts'
import type { Bug } from '../planted/bug.ts'
import { CLERKS, UNSERVED } from './clerks.ts'
import { eraseOne } from './eraser.ts'
import { monitored } from './monitor.ts'
import { lookAfter, moveOne } from './operator.ts'
import { workAtDesk } from './people.ts'
import {
  ERASER,
  HEALED_MS,
  namesOf,
  OPERATOR,
  type Plan,
  type PlannedErasure,
  type PlannedRun,
  tenantsOf,
} from './plan.ts'

/** After that nothing more goes wrong, and everything must come to its end. */
const CALM_MS = 16_000
const END_MS = 8 * 60_000
const LEASE_MS = 3000
const SWEEP_MS = 1000
/** While workers start, nobody relays yet. */
const STARTING_MS = 4000

/** The processes of a plan, their store, queue and people: the real runtime, desk and worker on simulated everything else. */
export class World implements Network {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly store: Store
  readonly effects: Effect[] = []
  readonly acknowledged: Acknowledged[] = []
  readonly erased: ErasedThread[] = []
  readonly violations: string[] = []
  readonly #bug: Bug
  readonly #queue: QueueEngine
  readonly #backend: Store
  readonly #operations = new Map<string, number>()
  readonly #faults: OperationFault[]
  readonly #workers = new Map<Machine, ThreadWorker>()
  /** The processes of people. */
  readonly #people = new Set<Machine>()
  /** The runs that are not over, and the erasures. */
  readonly #left: Set<string>
  /** The newest lease of each thread. */
  readonly #tokens = new Map<string, number>()
  /** The threads that must be taken up at once whenever they are due. */
  readonly #prompt: Set<string>

  constructor(plan: Plan, bug: Bug = {}) {
    this.plan = plan
    this.#bug = bug
    this.scheduler = new Scheduler(plan.seed)
    this.#faults = plan.faults.filter(isOperationFault)
    this.#queue = new QueueEngine(this, plan.faults.filter(isRingFault))
    const named = (runs: readonly PlannedRun[]) => runs.map(({ tenantId, threadId }) => nameOf(tenantId, threadId))
    this.#left = new Set([...named(plan.runs), ...plan.erasures.map(erasureOf)])
    const isSound = ({ atMs, version }: PlannedRun) =>
      atMs >= HEALED_MS || (plan.faults.length === 0 && version !== UNSERVED)
    this.#prompt = new Set(named(plan.runs.filter(isSound)))
    this.store = memoryStore({ clock: { now: () => this.scheduler.now } })
    const watched = monitored(this.store, {
      violation: (problem) => this.violation(problem),
      settled: (thread) => this.#left.delete(thread),
      held: (thread, token) => this.#tokens.set(thread, token),
      moved: (thread) => this.#prompt.delete(thread),
      erased: (thread) => this.erased.push(thread),
    })
    this.#backend = bug.store ? bug.store(watched, this.scheduler) : watched
  }

  get isCalm(): boolean {
    return this.scheduler.now - START >= CALM_MS
  }

  /** Runs it to its end. */
  async run(): Promise<void> {
    const { workers, desks, operators, erasers } = namesOf(this.plan)
    for (const name of [...workers, ...desks, ...operators, ...erasers]) this.#start(name)
    for (const fault of this.plan.faults.filter(isTimedFault))
      this.scheduler.park(undefined, fault.atMs, () => this.#strikeAt(fault))
    this.scheduler.park(undefined, CALM_MS, () => {
      this.#queue.isCalm = true
      this.scheduler.tell('world', 'from here on nothing goes wrong')
    })
    for (const planned of this.plan.runs) this.#ask(planned)
    await this.scheduler.run(() => this.#left.size === 0 || this.violations.length > 0, END_MS)
    for (const machine of this.#people) machine.isAlive = false
    // Bodies that begin too late, or once too often, get the time to do so.
    const end = this.scheduler.now - START + 2 * LEASE_MS
    await this.scheduler.run(() => this.violations.length > 0, end)
    for (const machine of this.#workers.keys()) machine.isAlive = false
  }

  latency(): number {
    const { random } = this.scheduler
    if (this.isCalm || this.plan.faults.length === 0) return 1 + random.upTo(4)
    const roll = random.upTo(99)
    if (roll < 80) return 1 + random.upTo(8)
    return roll < 98 ? random.upTo(120) : random.upTo(1500)
  }

  strike({ name }: Machine, of: Operation): OperationFault | undefined {
    if (this.#faults.length === 0) return undefined
    const nth = (this.#operations.get(`${name} ${of}`) ?? 0) + 1
    this.#operations.set(`${name} ${of}`, nth)
    if (this.isCalm) return undefined
    return this.#faults.find((fault) => fault.nth === nth && fault.process === name && fault.of === of)
  }

  crash(machine: Machine, restartMs: number): void {
    if (!machine.isAlive) return
    this.scheduler.tell(machine.name, 'is gone')
    this.#end(machine, restartMs)
  }

  /** Something that a model or a tool waits for. */
  async work(what: string): Promise<void> {
    const machine = here()
    if (machine) await perform(this, { machine, of: 'work' }, () => this.scheduler.tell(machine.name, what))
  }

  /** The body of a tool. What it does is written down outside of the store. */
  async body(does: Pick<Effect, 'tool' | 'version' | 'args'>, ctx: ToolContext<unknown, unknown>): Promise<string> {
    const machine = here()
    if (!machine?.isAlive) return 'gone'
    const { threadId, idempotencyKey: key, attempt, fencingToken } = ctx
    const tenantId = String(ctx.context)
    const thread = nameOf(tenantId, threadId)
    this.effects.push({ ...does, tenantId, threadId, key, attempt, at: this.scheduler.now, process: machine.name })
    this.scheduler.tell(machine.name, `${thread}: BODY ${does.tool} ${JSON.stringify(does.args)} attempt ${attempt}`)
    if (fencingToken < (this.#tokens.get(thread) ?? 0))
      this.violation(`nothing runs on a lost lease: ${does.tool} of ${thread}`)
    await this.work(`${thread}: ${does.tool} works`)
    return 'done'
  }

  violation(problem: string): void {
    this.scheduler.tell('CHECKER', problem)
    this.violations.push(problem)
  }

  #start(name: string): void {
    const index = namesOf(this.plan).workers.indexOf(name)
    const machine = new Machine(name, this)
    if (index >= 0) return this.#startWorker(machine, this.plan.workers[index]!)
    this.#people.add(machine)
    if (name === OPERATOR) this.#startOperator(machine)
    else if (name === ERASER) this.#startEraser(machine)
    else this.#startDesk(machine)
  }

  #startWorker(machine: Machine, versions: readonly string[]): void {
    const agents = this.#bug.agents?.(versions) ?? versions.map((version) => CLERKS[version]!)
    const own = { leaseMs: LEASE_MS, sweepMs: SWEEP_MS, onEvent: (event: WorkerEvent) => this.#heard(machine, event) }
    machine.enter(() => {
      const store = remoteStore(this, machine, this.#backend)
      const queue = this.#bug.queue?.(this.#queue.of(machine)) ?? this.#queue.of(machine)
      const worker = createWorker({ agents, store, queue, previews: false, ...own })
      this.#workers.set(machine, worker)
      worker.start().catch(() => this.crash(machine, 500))
    })
  }

  #startOperator(machine: Machine): void {
    machine.enter(() => {
      const store = remoteStore(this, machine, this.#backend)
      const seat = { machine, scheduler: this.scheduler, store, tenants: tenantsOf(this.plan) }
      lookAfter(seat).catch((error) => this.violation(`an operator failed: ${error}`))
      for (const move of this.plan.moves) {
        const inMs = START + move.atMs - this.scheduler.now
        if (inMs >= 0) this.scheduler.park(machine, inMs, () => void moveOne(seat, move))
      }
    })
  }

  #startEraser(machine: Machine): void {
    machine.enter(() => {
      const backend = this.#bug.eraser?.(this.#backend) ?? this.#backend
      const store = remoteStore(this, machine, backend)
      const seat = { machine, scheduler: this.scheduler, store, tenants: tenantsOf(this.plan) }
      for (const planned of this.plan.erasures) {
        if (!this.#left.has(erasureOf(planned))) continue
        const over = () => void this.#left.delete(erasureOf(planned))
        const failed = (error: unknown) => this.violation(`an eraser failed: ${error}`)
        const inMs = Math.max(0, START + planned.atMs - this.scheduler.now)
        this.scheduler.park(machine, inMs, () => void eraseOne(seat, planned).then(over, failed))
      }
    })
  }

  #startDesk(machine: Machine): void {
    machine.enter(() => {
      const store = remoteStore(this, machine, this.#backend)
      const acknowledged = (what: Omit<Acknowledged, 'at'>) =>
        void this.acknowledged.push({ ...what, at: this.scheduler.now })
      const seat = { machine, scheduler: this.scheduler, store, tenants: tenantsOf(this.plan), acknowledged }
      workAtDesk({ ...seat, isCalm: () => this.isCalm }).catch((error) => this.violation(`a desk failed: ${error}`))
    })
  }

  #ask({ tenantId, threadId, atMs, version, wish }: PlannedRun): void {
    const machine = new Machine('client', this)
    const store = remoteStore({ ...this.#reliable(), scheduler: this.scheduler }, machine, this.#backend)
    const agent = { id: 'clerk', version }
    const run = { agent, threadId, input: JSON.stringify(wish), context: tenantId, runId: 'run-1' }
    this.scheduler.park(machine, atMs, () => void enqueueRun(store.tenant(tenantId), run))
  }

  #reliable(): Omit<Network, 'scheduler'> {
    return { latency: () => this.latency(), strike: () => undefined, crash: () => undefined }
  }

  #strikeAt({ kind, process, ms }: TimedFault): void {
    if (this.isCalm) return
    this.scheduler.tell(process, `fault: ${kind} ${ms}`)
    if (kind === 'forget') return this.#queue.forget()
    for (const [machine, worker] of this.#workers) {
      if (machine.name !== process || !machine.isAlive) continue
      if (kind === 'skew') machine.skewMs = ms
      else machine.enter(() => void worker.stop({ graceMs: ms }).then(() => this.#end(machine, 200)))
    }
  }

  #end(machine: Machine, restartMs: number): void {
    machine.isAlive = false
    this.#workers.delete(machine)
    this.#queue.died(machine)
    const { name } = machine
    this.scheduler.park(undefined, restartMs, () => {
      this.scheduler.tell(name, 'starts again')
      this.#start(name)
    })
  }

  #heard({ name }: Machine, event: WorkerEvent): void {
    const thread = 'threadId' in event ? nameOf(event.tenantId, event.threadId) : ''
    if (event.type === 'dead')
      this.violation(`nothing is given up: ${thread} after ${event.tries} tries: ${event.error}`)
    if (event.type === 'failed')
      this.scheduler.tell(name, `${thread}: failed, again in ${event.retryInMs} ms: ${event.error}`)
    if (event.type === 'error') this.scheduler.tell(name, `${event.what}: ${event.error}`)
    if (event.type !== 'driven') return
    this.scheduler.tell(name, `${thread}: ${event.outcome}, ${event.lateMs} ms after it was due`)
    const isStarting = this.scheduler.now - START < STARTING_MS
    if (this.#prompt.has(thread) && !isStarting && event.lateMs >= SWEEP_MS)
      this.violation(`prompt: ${thread} was taken up ${event.lateMs} ms after it was due`)
  }
}

function erasureOf({ tenantId, threadId }: PlannedErasure): string {
  return `erasure of ${nameOf(tenantId, threadId)}`
}
