import type { Store } from '../../ports/store.ts'
import type { AuditKeyOption } from '../../protocol/chain/audit-key.ts'
import type { FakeClock } from '../fake-clock.ts'
import type { Skip } from '../run-cases.ts'

/** What a case tests: a guarantee of the whole (G…) or an invariant of the port (S…, its outbox O…, its records R…, its wake marks W…, erasing E…, snapshots C…). */
export type Guarantee =
  | ('G1' | 'G2' | 'G4' | 'G9')
  | ('S1' | 'S2' | 'S3' | 'S4' | 'S5' | 'S6' | 'S7' | 'S8' | 'S9')
  | ('O1' | 'O2' | 'O3')
  | ('R1' | 'R2' | 'R3')
  | ('W1' | 'W2' | 'W3')
  | ('E1' | 'E2' | 'E3')
  | ('C1' | 'C2' | 'C3' | 'C4' | 'C5' | 'C6')

/** Connects a backend to the suite. */
export interface StoreHarness {
  /** An empty store that uses `clock`. Every case creates its own and closes it. */
  create(options?: HarnessOptions): Promise<Store>
  /** A second handle on the same data, as another process would have. The first may be open or closed. */
  reopen?(store: Store, options?: HarnessOptions): Promise<Store>
  /** Changes stored rows behind the store's back, as a person with database access could. */
  tamper?(store: Store, tampering: Tampering): Promise<void>
  readonly clock: FakeClock
  /** Cases that this backend cannot pass, with reasons. An unknown case name is an error. */
  readonly skips?: readonly Skip[]
}

/** Options for opening a store. */
export interface HarnessOptions {
  auditKey?: AuditKeyOption
}

/** A change to the rows of a thread of the tenant `default`. */
export type Tampering = { threadId: string } & (
  | { op: 'delete'; seq: number }
  | { op: 'body'; seq: number; body: string; salt?: Uint8Array }
  | { op: 'time'; seq: number }
  | { op: 'swap'; seqs: readonly [number, number] }
  /** Removes the entries after a version, and sets the thread's own row to it. The chain still verifies. */
  | { op: 'cut'; version: number }
  /** Removes the signature. */
  | { op: 'unsign' }
  /** Changes the body of all snapshots, or removes their signatures. */
  | { op: 'snapshot'; body: string | null }
)

/** One requirement for every store. `run` throws if it is not met. */
export interface StoreCase {
  /** The requirement in words, unique in the suite. */
  readonly name: string
  readonly guarantee: Guarantee
  /** It changes rows behind the store's back, so the harness needs `tamper`. */
  readonly tampers?: true
  run(harness: StoreHarness): Promise<void>
}
