import type { Store } from '../../../src/ports/store.ts'

/** What the body of a tool wrote down outside of the store when it began. */
export interface Effect {
  threadId: string
  tool: string
  /** The version of the code that ran. */
  version: string
  /** The idempotency key. */
  key: string
  attempt: number
  args: { amount?: number }
  at: number
  process: string
}

/** What a person was told to have happened. */
export interface Acknowledged {
  kind: 'decided' | 'withdrawn'
  request: string
  /** The type of the decision. */
  type: string
  at: number
}

/** All that is known when nothing happens any more. */
export interface Evidence {
  /** The sound store, bound to the tenant of the threads. */
  store: Store
  threads: readonly string[]
  effects: readonly Effect[]
  acknowledged: readonly Acknowledged[]
  /** Whether every run had the time to come to its end. */
  isOver: boolean
}
