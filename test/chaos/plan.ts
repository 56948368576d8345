import { type Random, seeded } from '../support/random.ts'
import type { Cut } from '../support/servers/tcp-proxy.ts'

/** What a thread is about, and so what people do with it. */
export const KINDS = [
  ...['approve', 'edit', 'reject', 'expire', 'undo', 'withdraw', 'grant', 'nested'],
  ...['confirm', 'ask', 'late', 'unanswered'],
] as const satisfies readonly string[]
/** What a thread is about. */
export type Kind = (typeof KINDS)[number]

/** The processes, by name. */
export const WORKERS = ['worker-1', 'worker-2', 'worker-3'] as const
/** The processes that people reach, by name. */
export const GATEWAYS = ['gateway-1', 'gateway-2'] as const
const PROCESSES = [...WORKERS, ...GATEWAYS] as const
type WorkerName = (typeof WORKERS)[number]
/** The name of a process. */
export type ProcessName = (typeof PROCESSES)[number]

/** The tenants, and who decides in each. Both have threads of the same names. */
export const TENANTS = [
  { tenantId: 'default', person: 'ann' },
  { tenantId: 'second', person: 'bea' },
] as const

/** The versions of the agent that each worker has at first. All are replaced one after the other, which is when version 2 comes. */
export const FIRST_VERSIONS = ['1'] as const

/** A run that somebody asks for. */
export interface PlannedThread {
  readonly tenantId: string
  readonly threadId: string
  readonly kind: Kind
  readonly version: string
  readonly atMs: number
}

/** Something that goes wrong. */
export type Fault =
  /** SIGKILL; it is started again later. */
  | { kind: 'kill'; on: ProcessName; forMs: number }
  /** SIGSTOP, later SIGCONT. */
  | { kind: 'freeze'; on: ProcessName; forMs: number }
  /** All its connections to Postgres and Redis are cut, and new ones are refused. */
  | { kind: 'cut'; on: ProcessName; forMs: number }
  /** All it sends and gets is late. */
  | { kind: 'delay'; on: ProcessName; forMs: number }
  /** All it sends and gets is swallowed, on connections that stay open. */
  | { kind: 'silence'; on: ProcessName; forMs: number }
  /** The next append with this text is done or not, and nobody is told. */
  | { kind: 'lose'; on: ProcessName; text: string; cut: Cut }
  /** The clock of a process jumps. */
  | { kind: 'clock'; on: ProcessName; byMs: number }
  /** A worker is stopped in order, and started again with these versions of the agent. */
  | { kind: 'deploy'; on: WorkerName; versions: readonly string[] }
  /** A server ends, in order or not, and is started again. */
  | { kind: 'restart'; on: 'postgres' | 'redis'; how: 'stop' | 'crash'; forMs: number }

/** A fault and when it happens. */
interface PlannedFault {
  readonly atMs: number
  readonly fault: Fault
}

/** All that goes wrong, and when. The same seed gives the same plan; what real processes do with it differs each time. */
export interface Plan {
  readonly seed: number
  readonly queue: 'bullmq' | 'postgres'
  readonly forMs: number
  readonly threads: readonly PlannedThread[]
  readonly faults: readonly PlannedFault[]
}

/** What a plan is drawn for. */
export interface PlanSize {
  seed: number
  queue: Plan['queue']
  threads: number
  /** How long faults happen. */
  forMs: number
}

const EVERY = ['kill', 'freeze', 'cut', 'delay', 'silence', 'lose', 'lose', 'clock'] as const
const TEXTS = ['call.released', 'call.started', 'call.finished', 'request.decided', 'request.opened', 'run.settled']
const CUTS: readonly Cut[] = ['before-server', 'before-answer', 'swallow', 'swallow-answer']
const RESTARTS = 15_000

/** Draws a plan: a fault about every 700 ms, each worker replaced once, and a restart of each server about every 15 seconds, at least once. */
export function drawPlan({ seed, queue, threads, forMs }: PlanSize): Plan {
  const random = seeded(seed)
  const planned = drawThreads(random, threads, forMs)
  const faults: PlannedFault[] = []
  const count = Math.ceil(forMs / 700)
  for (let i = 0; i < count; i++) {
    // Every kind happens, however short the plan is.
    const kind = i < EVERY.length ? EVERY[i]! : random.pick(EVERY)
    faults.push({ atMs: random.upTo(forMs), fault: drawFault(kind, random) })
  }
  // People meet a gateway that is gone and one that is frozen in every plan.
  for (const kind of ['kill', 'freeze'] as const)
    faults.push({
      atMs: random.upTo(forMs),
      fault: { kind, on: random.pick(GATEWAYS), forMs: 1000 + random.upTo(3000) },
    })
  for (const [index, on] of WORKERS.entries())
    faults.push({ atMs: Math.floor((forMs * (2 + index)) / 8), fault: { kind: 'deploy', on, versions: NEXT[on] } })
  for (const on of ['postgres', 'redis'] as const) {
    for (let from = 0; from < forMs; from += RESTARTS) {
      const atMs = from + random.upTo(Math.min(RESTARTS, forMs - from))
      faults.push({
        atMs,
        fault: { kind: 'restart', on, how: random.pick(['stop', 'crash']), forMs: random.upTo(1000) },
      })
    }
  }
  const inOrder = (a: { atMs: number }, b: { atMs: number }): number => a.atMs - b.atMs
  return { seed, queue, forMs, threads: planned.sort(inOrder), faults: faults.sort(inOrder) }
}

/** The versions of each worker once it was replaced: some have both, and each version has two workers. */
const NEXT: Readonly<Record<WorkerName, readonly string[]>> = {
  'worker-1': ['2'],
  'worker-2': ['1', '2'],
  'worker-3': ['1'],
}

/** Draws the runs. Those that begin when the first worker was replaced are on either version. */
function drawThreads(random: Random, count: number, forMs: number): PlannedThread[] {
  return Array.from({ length: count }, (_, index) => {
    const number = Math.floor(index / TENANTS.length)
    const kind = KINDS[number % KINDS.length]!
    const atMs = random.upTo(Math.floor(forMs * 0.8))
    const version = atMs > forMs / 4 ? random.pick(['1', '2']) : '1'
    return {
      tenantId: TENANTS[index % TENANTS.length]!.tenantId,
      threadId: `${kind}-${number + 1}`,
      kind,
      version,
      atMs,
    }
  })
}

function drawFault(kind: (typeof EVERY)[number], random: Random): Fault {
  switch (kind) {
    case 'kill':
      return { kind, on: random.pick(PROCESSES), forMs: random.upTo(1500) }
    case 'freeze':
      // Some last longer than a lease.
      return { kind, on: random.pick(PROCESSES), forMs: 200 + random.upTo(4000) }
    case 'cut':
    case 'delay':
    case 'silence':
      return { kind, on: random.pick(PROCESSES), forMs: 100 + random.upTo(2500) }
    case 'lose':
      return { kind, on: random.pick(PROCESSES), text: random.pick(TEXTS), cut: random.pick(CUTS) }
    case 'clock':
      return { kind, on: random.pick(WORKERS), byMs: random.upTo(7_200_000) - 3_600_000 }
    default:
      return kind satisfies never
  }
}

/** Words a fault, for the story. */
export function tellFault(fault: Fault): string {
  const { kind, on, ...rest } = fault
  return `${kind} ${on} ${Object.entries(rest)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`
}
