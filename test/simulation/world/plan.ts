import { type Random, seeded } from '../../support/random.ts'
import { drawFaults, type Fault, tellFault } from '../engine/faults.ts'
import { nameOf } from '../engine/network.ts'
import { UNSERVED, type Wish } from './clerks.ts'

/** A run that somebody asks for. */
export interface PlannedRun {
  readonly tenantId: string
  readonly threadId: string
  readonly atMs: number
  readonly version: string
  readonly wish: Wish
}

/** A run that an operator moves to another version. */
export interface PlannedMove {
  readonly tenantId: string
  readonly threadId: string
  readonly atMs: number
  readonly to: string
}

/** A thread that somebody erases. */
export interface PlannedErasure {
  readonly tenantId: string
  readonly threadId: string
  readonly atMs: number
  /** Its run is aborted. Otherwise it is erased when it is over. */
  readonly abort: boolean
}

/** All that a simulation is made of. The same plan gives the same story. */
export interface Plan {
  readonly seed: number
  /** The versions of the code that each worker has. */
  readonly workers: readonly (readonly string[])[]
  readonly desks: number
  readonly runs: readonly PlannedRun[]
  readonly moves: readonly PlannedMove[]
  readonly erasures: readonly PlannedErasure[]
  readonly faults: readonly Fault[]
}

/** By then all that went wrong is over, and a new run must be taken up as promptly as if nothing had been. */
export const HEALED_MS = 30_000

/** The name of the process that moves runs. */
export const OPERATOR = 'operator'

/** The name of the process that erases threads. */
export const ERASER = 'eraser'

/** The names of the processes. */
export function namesOf({ workers, desks, runs, moves, erasures }: Omit<Plan, 'seed' | 'faults'>): {
  workers: string[]
  desks: string[]
  operators: string[]
  erasers: string[]
} {
  return {
    workers: workers.map((_, index) => `worker-${index + 1}`),
    desks: Array.from({ length: desks }, (_, index) => `desk-${index + 1}`),
    operators: moves.length > 0 || runs.some(({ version }) => version === UNSERVED) ? [OPERATOR] : [],
    erasers: erasures.length > 0 ? [ERASER] : [],
  }
}

/** The tenants of a plan. */
export function tenantsOf({ runs }: Pick<Plan, 'runs'>): string[] {
  return [...new Set(runs.map(({ tenantId }) => tenantId))]
}

/** Who decides at a desk in a tenant. */
export function personOf(desk: string, tenantId: string): string {
  return `person of ${desk} in ${tenantId}`
}

/** Draws a plan. Every eighth has no faults: there everything must also be prompt. Every eighth has a run that begins when all is over. */
export function drawPlan(seed: number): Plan {
  const random = seeded(seed * 7919)
  const isMixed = random.upTo(2) === 0
  const workers = Array.from({ length: 2 + random.upTo(1) }, (_, index) => (isMixed && index > 0 ? ['2'] : ['1', '2']))
  const drawn = drawRuns(random)
  const late = { tenantId: 'default', threadId: 'late', atMs: HEALED_MS, version: '2' }
  const runs = seed % 8 === 4 ? [...drawn, { ...late, wish: { turns: [[20]], nested: false } }] : drawn
  const { tenantId, threadId } = random.pick(drawn)
  const move = { tenantId, threadId, atMs: 500 + random.upTo(8000), to: random.pick(['1', '2']) }
  const moves = random.upTo(5) === 0 ? [move] : []
  const setting = { workers, desks: 2, runs, moves, erasures: drawErasures(seed, drawn) }
  const { workers: names, desks, operators, erasers } = namesOf(setting)
  const count = seed % 8 === 0 ? 0 : 1 + random.upTo(6)
  const others = [...desks, ...operators, ...erasers]
  return { seed, ...setting, faults: drawFaults(random, count, { workers: names, others }) }
}

/** In every fourth plan somebody erases a thread. */
function drawErasures(seed: number, runs: readonly PlannedRun[]): PlannedErasure[] {
  const random = seeded(seed * 104_729)
  if (random.upTo(3) > 0) return []
  const { tenantId, threadId } = random.pick(runs)
  return [{ tenantId, threadId, atMs: 500 + random.upTo(9000), abort: random.upTo(2) > 0 }]
}

/** Draws runs. Two tenants may have threads of the same name, and one run may be on a version that nobody has. */
function drawRuns(random: Random): PlannedRun[] {
  const tenants = random.upTo(2) === 0 ? ['default', 'b'] : ['default']
  const unserved = random.upTo(7) === 0 ? 0 : -1
  return Array.from({ length: 1 + random.upTo(2) }, (_, index) => ({
    tenantId: tenants[index % tenants.length]!,
    threadId: `thread-${1 + Math.floor(index / tenants.length)}`,
    atMs: random.upTo(3000),
    version: index === unserved ? UNSERVED : random.pick(['1', '2']),
    wish: {
      turns: Array.from({ length: 1 + random.upTo(1) }, () =>
        Array.from({ length: 1 + random.upTo(1) }, () => 10 + random.upTo(30)),
      ),
      nested: random.upTo(3) === 0,
      ...(random.upTo(2) === 0 ? { question: random.pick(['confirm', 'ask'] as const) } : {}),
    },
  }))
}

/** Words a plan, for a story. */
export function tellPlan({ seed, workers, runs, moves, erasures, faults }: Plan): string[] {
  return [
    `seed ${seed}: workers ${workers.map((versions) => versions.join('+')).join(', ')}`,
    ...runs.map(
      ({ tenantId, threadId, atMs, version, wish }) =>
        `  ${nameOf(tenantId, threadId)} at ${atMs} ms on version ${version}: refunds ${JSON.stringify(wish.turns)}${wish.nested ? ', nested' : ''}${wish.question ? `, ${wish.question}` : ''}`,
    ),
    ...moves.map(
      ({ tenantId, threadId, atMs, to }) => `  ${nameOf(tenantId, threadId)} is moved to version ${to} at ${atMs} ms`,
    ),
    ...erasures.map(
      ({ tenantId, threadId, atMs, abort }) =>
        `  ${nameOf(tenantId, threadId)} is erased${abort ? ' and aborted' : ' when it is over'} from ${atMs} ms on`,
    ),
    ...faults.map((fault) => `  fault: ${tellFault(fault)}`),
  ]
}
