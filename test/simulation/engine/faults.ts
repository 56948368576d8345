import type { Random } from '../../support/random.ts'

/**
 * What a process waits for. `work`: an append, a renewal of a lease, an answer of a model, a body of a tool. `reads`: whatever it asks the store.
 * `records`: writes of records, such as who leads and how far the outbox was read.
 */
export type Operation = 'work' | 'reads' | 'records'

/**
 * A fault that strikes at the nth operation of its sort in a process.
 *
 * `crash`: the process is gone before the operation is sent, or once it was done and before it is acknowledged.
 * `lost`: done, and the caller is told that it failed. `failed`: not done. `late`: acknowledged late. `freeze`: the process stands still.
 */
export interface OperationFault {
  readonly kind: 'crash' | 'lost' | 'failed' | 'late' | 'freeze'
  readonly process: string
  readonly of: Operation
  readonly nth: number
  readonly when: 'before' | 'after'
  readonly ms: number
}

/** A fault that strikes at a time. `skew`: a clock is set wrong. `forget`: the queue loses all. `deploy`: a process is stopped and started again. */
export interface TimedFault {
  readonly kind: 'skew' | 'forget' | 'deploy'
  readonly process: string
  readonly atMs: number
  readonly ms: number
}

/** A fault of the queue at the nth ring. */
export interface RingFault {
  readonly kind: 'ring lost' | 'ring twice' | 'ring late'
  readonly nth: number
  readonly ms: number
}

/** What goes wrong. */
export type Fault = OperationFault | TimedFault | RingFault

/** Draws faults. */
export function drawFaults(
  random: Random,
  count: number,
  { workers, others }: { workers: string[]; others: string[] },
): Fault[] {
  return Array.from({ length: count }, (): Fault => {
    const roll = random.upTo(19)
    if (roll < 12) return drawOperationFault(random, roll < 10 ? random.pick(workers) : random.pick(others))
    if (roll < 16) {
      const kind = random.pick(['ring lost', 'ring twice', 'ring late'] as const)
      return { kind, nth: 1 + random.upTo(12), ms: 200 + random.upTo(8000) }
    }
    const kind = random.pick(['skew', 'forget', 'deploy'] as const)
    const ms = kind === 'skew' ? random.upTo(120_000) - 60_000 : random.upTo(3000)
    return { kind, process: random.pick(workers), atMs: random.upTo(15_000), ms }
  })
}

/** How many operations of each sort may have a fault: about as many as there are while faults strike. */
const LAST: Readonly<Record<Operation, number>> = { work: 14, reads: 60, records: 12 }

function drawOperationFault(random: Random, process: string): OperationFault {
  const kind = random.pick(['crash', 'crash', 'lost', 'failed', 'late', 'freeze', 'freeze'] as const)
  const when = random.pick(['before', 'after'] as const)
  const of = random.pick(['work', 'work', 'work', 'work', 'reads', 'records'] as const)
  const nth = 1 + random.upTo(LAST[of])
  return { kind, process, of, nth, when, ms: 100 + random.upTo(kind === 'crash' ? 3000 : 9000) }
}

/** Words a fault for a story. */
export function tellFault(fault: Fault): string {
  switch (fault.kind) {
    case 'crash':
    case 'lost':
    case 'failed':
    case 'late':
    case 'freeze':
      return `${fault.kind} ${fault.when} ${fault.of} ${fault.nth} of ${fault.process}, ${fault.ms} ms`
    case 'skew':
    case 'deploy':
      return `${fault.kind} of ${fault.process} at ${fault.atMs} ms: ${fault.ms} ms`
    case 'forget':
      return `the queue forgets all at ${fault.atMs} ms`
    case 'ring lost':
    case 'ring twice':
    case 'ring late':
      return `${fault.kind}: ring ${fault.nth}, ${fault.ms} ms`
    default:
      return fault satisfies never
  }
}

const OPERATION_FAULTS: readonly string[] = ['crash', 'lost', 'failed', 'late', 'freeze']
const RING_FAULTS: readonly string[] = ['ring lost', 'ring twice', 'ring late']

/** Whether it strikes at an operation. */
export function isOperationFault(fault: Fault): fault is OperationFault {
  return OPERATION_FAULTS.includes(fault.kind)
}

/** Whether it strikes at a ring. */
export function isRingFault(fault: Fault): fault is RingFault {
  return RING_FAULTS.includes(fault.kind)
}

/** Whether it strikes at a time. */
export function isTimedFault(fault: Fault): fault is TimedFault {
  return !isOperationFault(fault) && !isRingFault(fault)
}
