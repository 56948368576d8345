import type { Store } from '../../../src/ports/store.ts'
import type { ToolContext } from '../../../src/runtime/definition/tool-context.ts'
import { memoryStore } from '../../../src/store/memory/store.ts'
import { createWorker, type ThreadWorker } from '../../../src/worker/create-worker.ts'
import { enqueueRun } from '../../../src/worker/enqueue-run.ts'
import type { WorkerEvent } from '../../../src/worker/events.ts'
import type { Acknowledged, Effect } from '../../support/checker/evidence.ts'
import { isOperationFault, isRingFault, isTimedFault, type OperationFault, type TimedFault } from '../engine/faults.ts'
import { here, Machine } from '../engine/machine.ts'
import { type Network, perform, remoteStore } from '../engine/network.ts'
import { QueueEngine } from '../engine/queue.ts'
import { Scheduler, START } from '../engine/scheduler.ts'
import type { Bug } from '../planted/bug.ts'
import { CLERKS } from './clerks.ts'
import { monitored } from './monitor.ts'
import { workAtDesk } from './people.ts'
import { namesOf, type Plan, type PlannedRun } from './plan.ts'

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
  readonly violations: string[] = []
  readonly #bug: Bug
  readonly #queue: QueueEngine
  readonly #backend: Store
  readonly #operations = new Map<string, number>()
  readonly #faults: OperationFault[]
  readonly #workers = new Map<Machine, ThreadWorker>()
  readonly #left: Set<string>
  /** The newest lease of each thread. */
  readonly #tokens = new Map<string, number>()

  constructor(plan: Plan, bug: Bug = {}) {
    this.plan = plan
    this.#bug = bug
    this.scheduler = new Scheduler(plan.seed)
    this.#faults = plan.faults.filter(isOperationFault)
    this.#queue = new QueueEngine(this, plan.faults.filter(isRingFault))
    this.#left = new Set(plan.runs.map(({ threadId }) => threadId))
    this.store = memoryStore({ clock: { now: () => this.scheduler.now } })
    const watched = monitored(this.store, {
      violation: (problem) => this.violation(problem),
      settled: (threadId) => this.#left.delete(threadId),
      held: (threadId, token) => this.#tokens.set(threadId, token),
    })
    this.#backend = bug.store ? bug.store(watched, this.scheduler) : watched
  }

  get isCalm(): boolean {
    return this.scheduler.now - START >= CALM_MS
  }

  /** Runs it to its end. */
  async run(): Promise<void> {
    const { workers, desks } = namesOf(this.plan)
    workers.forEach((name, index) => void this.#startWorker(name, this.plan.workers[index]!))
    for (const name of desks) this.#startDesk(name)
    for (const fault of this.plan.faults.filter(isTimedFault))
      this.scheduler.park(undefined, fault.atMs, () => this.#strikeAt(fault))
    this.scheduler.park(undefined, CALM_MS, () => {
      this.#queue.isCalm = true
      this.scheduler.tell('world', 'from here on nothing goes wrong')
    })
    for (const planned of this.plan.runs) this.#ask(planned)
    await this.scheduler.run(() => this.#left.size === 0 || this.violations.length > 0, END_MS)
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

  strike({ name }: Machine): OperationFault | undefined {
    const nth = (this.#operations.get(name) ?? 0) + 1
    this.#operations.set(name, nth)
    return this.isCalm ? undefined : this.#faults.find((fault) => fault.process === name && fault.nth === nth)
  }

  crash(machine: Machine, restartMs: number): void {
    if (!machine.isAlive) return
    this.scheduler.tell(machine.name, 'is gone')
    this.#end(machine, restartMs)
  }

  /** Something that a model or a tool waits for. */
  async work(what: string): Promise<void> {
    const machine = here()
    if (machine) await perform(this, machine, () => this.scheduler.tell(machine.name, what))
  }

  /** The body of a tool. What it does is written down outside of the store. */
  async body(does: Pick<Effect, 'tool' | 'version' | 'args'>, ctx: ToolContext<unknown, unknown>): Promise<string> {
    const machine = here()
    if (!machine?.isAlive) return 'gone'
    const { threadId, idempotencyKey: key, attempt, fencingToken } = ctx
    this.effects.push({ ...does, threadId, key, attempt, at: this.scheduler.now, process: machine.name })
    this.scheduler.tell(machine.name, `${threadId}: BODY ${does.tool} ${JSON.stringify(does.args)} attempt ${attempt}`)
    if (fencingToken < (this.#tokens.get(threadId) ?? 0))
      this.violation(`nothing runs on a lost lease: ${does.tool} of ${threadId}`)
    await this.work(`${threadId}: ${does.tool} works`)
    return 'done'
  }

  violation(problem: string): void {
    this.scheduler.tell('CHECKER', problem)
    this.violations.push(problem)
  }

  #startWorker(name: string, versions: readonly string[]): void {
    const machine = new Machine(name, this)
    const agents = this.#bug.agents?.(versions) ?? versions.map((version) => CLERKS[version]!)
    const own = { leaseMs: LEASE_MS, sweepMs: SWEEP_MS, onEvent: (event: WorkerEvent) => this.#heard(machine, event) }
    machine.enter(() => {
      const store = remoteStore(this, machine, this.#backend)
      const queue = this.#bug.queue?.(this.#queue.of(machine)) ?? this.#queue.of(machine)
      const worker = createWorker({ agents, store, queue, ...own })
      this.#workers.set(machine, worker)
      worker.start().catch(() => this.crash(machine, 500))
    })
  }

  #startDesk(name: string): void {
    const machine = new Machine(name, this)
    machine.enter(() => {
      const store = remoteStore(this, machine, this.#backend)
      const acknowledged = (what: Omit<Acknowledged, 'at'>) =>
        void this.acknowledged.push({ ...what, at: this.scheduler.now })
      const seat = { machine, scheduler: this.scheduler, store, person: `person of ${name}`, acknowledged }
      workAtDesk({ ...seat, isCalm: () => this.isCalm }).catch((error) => this.violation(`a desk failed: ${error}`))
    })
  }

  #ask({ threadId, atMs, version, wish }: PlannedRun): void {
    const machine = new Machine('client', this)
    const store = remoteStore({ ...this.#reliable(), scheduler: this.scheduler }, machine, this.#backend)
    const agent = { id: 'clerk', version }
    const input = JSON.stringify(wish)
    this.scheduler.park(machine, atMs, () => void enqueueRun(store, { agent, threadId, input, runId: 'run-1' }))
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
    const { workers } = namesOf(this.plan)
    this.scheduler.park(undefined, restartMs, () => {
      this.scheduler.tell(name, 'starts again')
      if (workers.includes(name)) this.#startWorker(name, this.plan.workers[workers.indexOf(name)]!)
      else this.#startDesk(name)
    })
  }

  #heard({ name }: Machine, event: WorkerEvent): void {
    if (event.type === 'dead')
      this.violation(`nothing is given up: ${event.threadId} after ${event.tries} tries: ${event.error}`)
    if (event.type === 'failed')
      this.scheduler.tell(name, `${event.threadId}: failed, again in ${event.retryInMs} ms: ${event.error}`)
    if (event.type === 'error') this.scheduler.tell(name, `${event.what}: ${event.error}`)
    if (event.type !== 'driven') return
    this.scheduler.tell(name, `${event.threadId}: ${event.outcome}, ${event.lateMs} ms after it was due`)
    const isStarting = this.scheduler.now - START < STARTING_MS
    if (this.plan.faults.length === 0 && !isStarting && event.lateMs >= SWEEP_MS)
      this.violation(`prompt: ${event.threadId} was taken up ${event.lateMs} ms after it was due`)
  }
}
