import type { Store } from '../../ports/store.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { type FakeClock, fakeClock } from '../fake-clock.ts'
import { memoryHarness } from '../store-suite/memory-harness.ts'
import type { StoreHarness } from '../store-suite/store-case.ts'

/** A store with one fault. A suite that accepts it does not test the guarantee. */
export interface BrokenStore {
  /** What it does wrong. */
  readonly name: string
  /** The cases that must reject it. */
  readonly rejectedBy: readonly string[]
  harness(): StoreHarness
}

/** Returns the methods that a fault replaces. */
export type Fault = (sound: Store, clock: FakeClock) => Partial<Store>

/** A memory store with some methods replaced, in every tenant's view. */
export function breakStore(fault: Fault): () => StoreHarness {
  return () => {
    const clock = fakeClock()
    const wrap = (sound: Store): Store => {
      const broken: Store = {
        ...sound,
        tenant: (id) => (id === sound.tenantId ? broken : wrap(sound.tenant(id))),
        ...fault(sound, clock),
      }
      return broken
    }
    return { ...memoryHarness(), clock, create: async (options) => wrap(memoryStore({ clock, ...options })) }
  }
}
