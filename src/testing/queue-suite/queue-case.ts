import type { Queue } from '../../ports/queue.ts'
import type { Skip } from '../run-cases.ts'

/** Connects a queue to the suite. */
export interface QueueHarness {
  /** A queue in which nothing waits. Every case creates its own and closes it. */
  create(): Promise<Queue>
  /** A second handle on the same wake-ups, as another process would have. */
  reopen?(queue: Queue): Promise<Queue>
  /** Lets another process take the next wake-up of a route, and kills it inside of its handler. */
  takeAndDie?(queue: Queue, route: string): Promise<void>
  /** Makes the engine unreachable. Call the result to end it; the engine keeps what it had accepted. */
  interrupt?(queue: Queue): Promise<() => Promise<void>>
  /** How long `ring` may take before it rejects, with this harness. Default 5000. */
  readonly timeoutMs?: number
  /** How long a case waits for what must happen. Default 20000. */
  readonly patienceMs?: number
  /** Cases that this queue cannot pass, with reasons. An unknown case name is an error. */
  readonly skips?: readonly Skip[]
}

/** An invariant of the port. */
export type QueueGuarantee = 'Q1' | 'Q2' | 'Q3' | 'Q4' | 'Q5' | 'Q6' | 'Q7'

/** One requirement for all queues. `run` throws if it is not met. */
export interface QueueCase {
  /** The requirement in words, unique in the suite. */
  readonly name: string
  readonly guarantee: QueueGuarantee
  run(harness: QueueHarness): Promise<void>
}
