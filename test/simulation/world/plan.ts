import { seeded } from '../../support/random.ts'
import { drawFaults, type Fault, tellFault } from '../engine/faults.ts'
import type { Wish } from './clerks.ts'

/** A run that somebody asks for. */
export interface PlannedRun {
  readonly threadId: string
  readonly atMs: number
  readonly version: string
  readonly wish: Wish
}

/** All that a simulation is made of. The same plan gives the same story. */
export interface Plan {
  readonly seed: number
  /** The versions of the code that each worker has. */
  readonly workers: readonly (readonly string[])[]
  readonly desks: number
  readonly runs: readonly PlannedRun[]
  readonly faults: readonly Fault[]
}

/** The names of the processes. */
export function namesOf({ workers, desks }: Pick<Plan, 'workers' | 'desks'>): { workers: string[]; desks: string[] } {
  return {
    workers: workers.map((_, index) => `worker-${index + 1}`),
    desks: Array.from({ length: desks }, (_, index) => `desk-${index + 1}`),
  }
}

/** Draws a plan. Every eighth has no faults: there everything must also be prompt. */
export function drawPlan(seed: number): Plan {
  const random = seeded(seed * 7919)
  const isMixed = random.upTo(2) === 0
  const workers = Array.from({ length: 2 + random.upTo(1) }, (_, index) => (isMixed && index > 0 ? ['2'] : ['1', '2']))
  const desks = 2
  const runs = Array.from({ length: 1 + random.upTo(2) }, (_, index) => ({
    threadId: `thread-${index + 1}`,
    atMs: random.upTo(3000),
    version: random.pick(['1', '2']),
    wish: {
      turns: Array.from({ length: 1 + random.upTo(1) }, () =>
        Array.from({ length: 1 + random.upTo(1) }, () => 10 + random.upTo(30)),
      ),
      nested: random.upTo(3) === 0,
    },
  }))
  const count = seed % 8 === 0 ? 0 : 1 + random.upTo(6)
  return { seed, workers, desks, runs, faults: drawFaults(random, count, namesOf({ workers, desks })) }
}

/** Words a plan, for a story. */
export function tellPlan({ seed, workers, runs, faults }: Plan): string[] {
  return [
    `seed ${seed}: workers ${workers.map((versions) => versions.join('+')).join(', ')}`,
    ...runs.map(
      ({ threadId, atMs, version, wish }) =>
        `  ${threadId} at ${atMs} ms on version ${version}: refunds ${JSON.stringify(wish.turns)}${wish.nested ? ', nested' : ''}`,
    ),
    ...faults.map((fault) => `  fault: ${tellFault(fault)}`),
  ]
}
