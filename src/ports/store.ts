import type { GrantScope } from '../protocol/grant.ts'
import type { RequestStatus } from '../protocol/request.ts'
import type { RequestRow } from '../protocol/request-row.ts'
import type { Clock } from './clock.ts'
import type { OutboxStore } from './outbox.ts'
import type { RecordChange, RecordStore } from './records.ts'
import type { ChunksWanted, SnapshotWrite, StoredSnapshot } from './snapshot.ts'
import type {
  CountLimit,
  DuePage,
  DueQuery,
  GrantPage,
  GrantQuery,
  ReaderThreadPage,
  ReaderThreadQuery,
  ReadyPage,
  ReadyQuery,
  RequestCount,
  RequestCountQuery,
  RequestPage,
  RequestQuery,
  RequestQueue,
  StoredRequest,
  ThreadPage,
  ThreadQuery,
} from './store-lists.ts'
import type { ChainedEntry, StoredEntry, ThreadHead } from './stored-entry.ts'
import type { PartQuery, ThreadPart } from './thread-part.ts'
import type { WakeChange, WakeMark } from './wake.ts'

export type { RequestRow } from '../protocol/request-row.ts'

/**
 * Stores journals, requests, grants, leases and records, and keeps the outbox.
 *
 * Kept whole: an implementer of a store reads it from top to bottom.
 *
 * S1  An append is atomic. A failed guard refuses that append alone, never its neighbours.
 * S2  Once `append` is fulfilled with `ok: true`, the entries survive as the store's durability promises.
 * S3  Entries of a thread are numbered 1, 2, 3 … without gaps, in the order in which appends were accepted.
 * S4  A refusal is a value and gives the reason. Only failures of the store itself are thrown (`StoreBusy`,
 *     `StoreFailed`, …).
 * S5  `now` and `at` are the store's time. Within a thread it does not run backwards: it stands still, for a minute at
 *     most. If the clock was further ahead, it was wrong, and time continues from the right one. `seq` gives the order,
 *     not `at`.
 * S6  Nothing of one tenant is visible to another, except through `due`, `ready`, `queue`, `threads`
 *     and the outbox, which are for the operator.
 * S7  Reads return what was written. A row that is missing, changed, out of order or dangling throws `StoreCorrupt`; it
 *     is never left out.
 * S8  A thread's `head` identifies its whole history, not only its length: after a restored backup, new entries make
 *     another head. It is an opaque string, such as the hash of the last entry. It changes with every entry and with
 *     nothing else, and is the same for every thread without entries.
 * S9  Lists, pages and counts are filtered before they are cut or counted: what a query's `readers` may not see is not
 *     in it, and does not show in its numbers.
 *
 * W1  A wake mark changes in the append that says so, or not at all. No append without `wake` changes it.
 * W2  `ready` finds a thread from its wake time on, by the store's time, while its lease is free; and no other thread.
 * W3  An append with `notBefore` is refused before that time of the store, whatever the caller's clock says.
 *
 * E1  An append with `erase` replaces every earlier body and salt of its thread and removes its requests and grants, or does nothing. Nothing of them
 *     is left in any list, count or read; hashes, times and numbers stay, so the chain can be verified.
 * E2  Reads of an erased thread and appends to it throw `ThreadErased`, also in processes that read it before. `readChain` and `readHead` do not.
 * E3  An erasure writes a row of the outbox: subject `thread`, what `erased`.
 */
export interface Store extends RecordStore, OutboxStore {
  readonly tenantId: string
  /**
   * The store's own clock, if it does not use the machine's or the database's. Waits for a time of the store use it.
   */
  readonly clock?: Clock
  /** Limits whose excess it refuses with `LimitExceeded`. */
  readonly limits?: { readonly entryBytes: number }

  /** Adds entries to a thread. Creates the thread if it does not exist. */
  append(append: Append): Promise<AppendOutcome>

  /**
   * A thread's entries in order, after a version, or with `snapshot` (a fold) after its snapshot, if there is one; with `chunks` also the chunks of
   * that fold. An unknown thread has version 0.
   */
  read(threadId: string, options?: { after?: number; snapshot?: number; chunks?: ChunksWanted }): Promise<ThreadSlice>

  /**
   * The last entries of a thread before a number, in order. Its cost depends on them, not on the length of the thread. Each must follow from the one
   * before it (S7); what else is in the thread is not read. An unknown thread has version 0.
   */
  readBack(threadId: string, query?: PartQuery): Promise<ThreadPart>

  /** A thread's entries with their hashes, for auditors: all, or those after a number, up to a limit. They are not checked. */
  readChain(threadId: string, options?: { after?: number; limit?: number }): Promise<ChainedEntry[]>

  /** The head of a thread, for an auditor to keep elsewhere. An unknown thread has version 0. */
  readHead(threadId: string): Promise<ThreadHead>

  /** One request by its id, with the entries that opened and last changed it. */
  getRequest(id: string): Promise<StoredRequest | undefined>

  /** Requests, newest first, in pages. */
  findRequests(query: RequestQuery): Promise<RequestPage>

  /** Counts requests, after every filter, up to a limit. */
  countRequests(query: RequestCountQuery, options?: CountLimit): Promise<RequestCount>

  /** Threads of this tenant that have requests which these readers may see, by their newest such request. */
  threadsOf(query: ReaderThreadQuery): Promise<ReaderThreadPage>

  /** Open requests of all tenants whose deadline has passed by the store's time, longest overdue first. */
  due(query?: DueQuery): Promise<DuePage>

  /** Threads of all tenants whose wake time has come and whose lease is free, longest due first. Served by an index. */
  ready(query?: ReadyQuery): Promise<ReadyPage>

  /** How many requests of all tenants are open, and since when the oldest is. Served by an index. */
  queue(): Promise<RequestQueue>

  /**
   * The names of all threads of all tenants, in pages. For auditors: it must include threads without requests, and erased ones. With `before`, a page
   * may be short or empty while `next` says where to continue.
   */
  threads(query?: ThreadQuery): Promise<ThreadPage>

  /** Grants, newest first, in pages. */
  findGrants(query: GrantQuery): Promise<GrantPage>

  /** Extends a lease by `ttlMs`. `false`: the claim is no longer current. */
  renewLease(threadId: string, lease: LeaseClaim & { ttlMs: number }): Promise<boolean>

  /**
   * Resolves when the thread's version is above `after` (including writes of other processes), or when the signal
   * fires.
   */
  changed(threadId: string, options: { after: number; signal: AbortSignal }): Promise<void>

  /**
   * For work that goes on with something else than a result of the store, such as a model's answer: what to wait for first, so that the event loop has
   * its turn. `undefined` if it can go on at once. A store without it hands out its results whenever they come.
   */
  turn?(): Promise<void> | undefined

  /**
   * Removes what deleted and replaced rows left behind in the store's files, as far as the store can: free pages, logs. Throws `StoreBusy` if other
   * processes prevent it. Call it after erasing.
   */
  scrub(): Promise<void>

  /** The same store, bound to a tenant. */
  tenant(id: string): Store

  /** Waits for pending work, then releases files and connections. A second call does nothing. */
  close(): Promise<void>
}

/** One atomic change of one thread. */
export interface Append {
  threadId: string
  /** Serialised entry bodies. These exact strings are stored. */
  entries: readonly string[]
  /** Refused unless the thread is at this version. */
  version?: number
  /** Refused unless this is the thread's head: the same history, not only the same length. */
  head?: string
  lease?: LeaseChange
  requests?: readonly RequestChange[]
  grants?: readonly GrantChange[]
  /** Applied in the same transaction. Only with entries. A failed `expect` refuses the append. */
  records?: readonly RecordChange[]
  /** When a driver must look at this thread next. Left out: unchanged. */
  wake?: WakeChange
  /** The agent whose run this append opens. Kept with the thread until another run opens. */
  run?: { agent: string; version: string | null }
  /** Refused before this time of the store. */
  notBefore?: number
  /** The state at `version`, before this append, as a cache. Only with a version above 0. A store may ignore it. */
  snapshot?: SnapshotWrite
  /**
   * Erases the thread: every body and salt before this append is replaced by these, its requests and grants are removed, and it ends with this
   * append. The entries must account for the replaced bodies: see `erased` in the protocol. Only with entries and a version.
   */
  erase?: { body: string; salt: Uint8Array }
  /**
   * Signs the thread's current head with the newest audit key, even if it was not signed before. Refused unless this is
   * the hash of its last entry, which the caller has verified. Only without entries.
   */
  sign?: Uint8Array
}

/**
 * Identifies one acquisition of a lease. Both fields count: a restored store may give the same token again, to another
 * holder.
 */
export interface LeaseClaim {
  holder: string
  /** Grows with every acquisition. Older tokens are void. */
  token: number
}

/**
 * What an append does with the thread's lease. A lease is free if it was dropped, has expired, or would last longer
 * than five minutes, the maximum: then a clock that was ahead gave it.
 * `take` is refused while another holder has it, unless `over` is that claim (its holder is known to be gone). `hold`
 * is refused unless the claim is the current one. `drop` is never refused: it frees the lease if the claim is still
 * current.
 */
export type LeaseChange =
  | { op: 'take'; holder: string; ttlMs: number; over?: LeaseClaim; thenDrop?: boolean }
  | ({ op: 'hold'; thenDrop?: boolean } & LeaseClaim)
  | ({ op: 'drop' } & LeaseClaim)

/**
 * A change of the request index. `entry` is the position, in this append, of the entry that opens or changes the
 * request. A change may refer to a request that the same append opens.
 */
export type RequestChange =
  | { op: 'open'; entry: number; row: RequestRow }
  /**
   * Refused unless the request is at version `from`, and refused from the time `before` on. Sets the version to `from +
   * 1`. `dropDeadline` removes the deadline.
   */
  | {
      op: 'change'
      entry: number
      id: string
      from: number
      status: RequestStatus
      before?: number
      dropDeadline?: true
    }
  /**
   * Assigns an open request of any thread; `null` removes the assignment. It ends after `ttlMs`, if given. Refused
   * unless the request is open; with `claim` also while it is assigned to somebody else. The version stays.
   */
  | { op: 'assign'; id: string; assignee: string | null; ttlMs?: number; claim?: true }
  /** Counts a comment on a request of any thread. Refused if there is no such request. The version stays. */
  | { op: 'comment'; id: string }

/**
 * A change of a grant. Each is a guard as well, judged by the store's time, and sees the changes before it in the same
 * append. `entry` is the position, in this append, of the entry that records it.
 * `create` is refused if the id exists. `spend` is refused if the grant is unknown, revoked, expired, used up, or would
 * exceed its cap. A grant with a cap cannot be spent without an amount, and no grant without an entry. `revoke` is
 * refused unless the grant belongs to this thread and is not revoked.
 */
export type GrantChange =
  | { op: 'create'; entry: number; row: GrantRow; ttlMs?: number }
  | { op: 'spend'; id: string; amount?: number }
  | { op: 'revoke'; entry: number; id: string }

/** The indexed fields and counters of a grant. The grant itself is in the journal. */
export interface GrantRow {
  id: string
  scope: GrantScope
  run: string
  /** With scope `thread`: it covers calls of this conversation, not of the thread it was given in. */
  conversation?: string
  agent: string
  tool: string
  uses: number | null
  cap: number | null
  /** Overridden by the change's `ttlMs`, which counts from the store's time. */
  expiresAt: number | null
  /** What was spent before the store knew the grant. */
  used: number
  spent: number
}

/** The result of an append. */
export type AppendOutcome =
  | { ok: true; version: number; head: string; at: number; lease: Lease | null }
  | { ok: false; conflict: Conflict; now: number }

/** Why an append was refused. `version` also covers a different head at the same version. */
export type Conflict =
  | { kind: 'version'; version: number }
  | { kind: 'lease'; lease: Lease | null }
  | { kind: 'request'; id: string }
  | { kind: 'grant'; id: string }
  | { kind: 'record'; id: string }
  /** It is before `at`, the append's `notBefore`. */
  | { kind: 'time'; at: number }

/** The lease of a thread's driver. */
export interface Lease extends LeaseClaim {
  until: number
}

/** Part of a journal. */
export interface ThreadSlice {
  version: number
  head: string
  /** The thread's head at the version after which it was read, which `entries` follow. Equal to `head` if the thread is not that long. */
  follows: string
  entries: StoredEntry[]
  /** What `entries` follow, if it was asked for and there is one. */
  snapshot?: StoredSnapshot
  lease: Lease | null
  wake: WakeMark
  now: number
}
