import type { Store } from '../../../src/ports/store.ts'
import type { ChainedEntry } from '../../../src/ports/stored-entry.ts'

/** What the body of a tool wrote down outside of the store when it began. */
export interface Effect {
  /** The tenant that the tool acted for, as its run's context says. */
  tenantId: string
  threadId: string
  tool: string
  /** The version of the code that ran. */
  version: string
  /** The idempotency key. */
  key: string
  attempt: number
  /** What it did. `answer`: what a person had answered to its question. */
  args: { amount?: number; answer?: unknown }
  at: number
  process: string
}

/** What a person was told to have happened. */
export interface Acknowledged {
  tenantId: string
  kind: 'decided' | 'withdrawn' | 'answered'
  request: string
  /** The type of the decision, or the answer as JSON. */
  type: string
  at: number
}

/** A thread that was erased. */
export interface ErasedThread {
  tenantId: string
  threadId: string
  /** When, by the store's time. */
  at: number
  /** Its entries as they were just before. */
  chain: readonly ChainedEntry[]
}

/** All that is known of a tenant when nothing happens any more. */
export interface Evidence {
  /** The sound store, bound to the tenant of the threads. */
  store: Store
  threads: readonly string[]
  /** Who decides in this tenant. Default: anybody. */
  people?: readonly string[]
  effects: readonly Effect[]
  acknowledged: readonly Acknowledged[]
  /** What was erased meanwhile. Default: nothing. */
  erased?: readonly ErasedThread[]
  /** Whether every run had the time to come to its end. */
  isOver: boolean
}
