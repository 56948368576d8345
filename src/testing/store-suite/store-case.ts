import type { Store } from '../../ports/store.ts'
import type { AuditKeyOption } from '../../protocol/chain/audit-key.ts'
import type { FakeClock } from '../fake-clock.ts'
import type { Skip } from '../run-cases.ts'

/** What a case stands for: a guarantee of the whole (G…) or an invariant of the port (S…). */
export type Guarantee = 'G1' | 'G2' | 'G4' | 'G9' | 'S1' | 'S2' | 'S3' | 'S4' | 'S5' | 'S6' | 'S7' | 'S8'

/** How a backend joins the suite. */
export interface StoreHarness {
  /** An empty store that takes its time from `clock`. Every case makes its own and closes it. */
  create(options?: HarnessOptions): Promise<Store>
  /** A second handle on the same data, as another process would have; the first may be open or closed. */
  reopen?(store: Store, options?: HarnessOptions): Promise<Store>
  /** Changes stored rows behind the store's back, as somebody with access to the database would. */
  tamper?(store: Store, tampering: Tampering): Promise<void>
  readonly clock: FakeClock
  /** Cases that this backend cannot pass, and why. A name that is not a case is an error. */
  readonly skips?: readonly Skip[]
}

/** How a store is opened. */
export interface HarnessOptions {
  auditKey?: AuditKeyOption
}

/** What is done to a thread of the tenant `default`. */
export type Tampering = { threadId: string } & (
  | { op: 'delete'; seq: number }
  | { op: 'body'; seq: number; body: string; salt?: Uint8Array }
  | { op: 'time'; seq: number }
  | { op: 'swap'; seqs: readonly [number, number] }
  /** Takes away what comes after a version, and sets the thread's own row to it: the chain still verifies. */
  | { op: 'cut'; version: number }
  /** Takes the signature away. */
  | { op: 'unsign' }
)

/** One thing that every store must do. `run` throws if it does not. */
export interface StoreCase {
  /** The guarantee in words; unique in the suite. */
  readonly name: string
  readonly guarantee: Guarantee
  run(harness: StoreHarness): Promise<void>
}
