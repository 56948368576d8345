import type { Queue } from '../../../src/ports/queue.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { Agent } from '../../../src/runtime/agent/agent.ts'
import type { Scheduler } from '../engine/scheduler.ts'

/** A part that is broken on purpose. */
export interface Bug {
  /** The store that all processes use. */
  store?(sound: Store, scheduler: Scheduler): Store
  /** The store as those see it who erase threads. */
  eraser?(sound: Store): Store
  /** The queue as each worker sees it. */
  queue?(sound: Queue): Queue
  /** The agents of a worker that should have these versions. */
  agents?(versions: readonly string[]): readonly Agent[]
}

/** A planted bug, and the guarantee that it breaks, as the checker names it. */
export interface PlantedBug extends Bug {
  readonly name: string
  /** How the violations that it leads to may begin. */
  readonly breaks: readonly string[]
}
