import type { HeadMac } from '../protocol/chain/audit-key.ts'
import type { GrantScope } from '../protocol/grant.ts'
import type { RequestStatus } from '../protocol/request.ts'
import type { Clock } from './clock.ts'

/**
 * Where journals, requests, grants and leases live.
 *
 * S1  An append is all or nothing, and one failed guard refuses that append alone, never its neighbours.
 * S2  When `append` is fulfilled with `ok: true` the entries survive as the store's durability promises.
 * S3  Entries of a thread are numbered 1, 2, 3 … without gaps, in the order in which appends were accepted.
 * S4  A refusal is a value, and says why; only trouble of the store itself is thrown (`StoreBusy`, `StoreFailed`, …).
 * S5  `now` and `at` are the store's time. Within a thread it does not run backwards: it stands still, for a minute at most. A clock that was
 *     further ahead was wrong, and time goes on from the right one: order is told by `seq`, not by `at`.
 * S6  Nothing of one tenant is visible to another, but for `due` and `threads`, which are the operator's.
 * S7  What is read is what was written: a row that is missing, changed, out of order or points at nothing is `StoreCorrupt`, never left out.
 * S8  A thread's `head` names its whole history, not only its length: after a restored backup, entries that are added again make another head.
 *     It is an opaque string: the hash of the last entry, or whatever else differs whenever an entry does. It changes with every entry and with
 *     nothing else, and is the same for every thread without entries.
 */
export interface Store {
  readonly tenantId: string
  /** The clock that it was given instead of the machine's or the database's: whoever waits for a time of the store waits by it. */
  readonly clock?: Clock
  /** What it refuses with `LimitExceeded`. */
  readonly limits?: { readonly entryBytes: number }

  /** Adds facts to a thread, which it creates if need be. */
  append(append: Append): Promise<AppendOutcome>

  /** A thread's entries after a version, in order. An unknown thread has version 0 and no entries. */
  read(threadId: string, options?: { after?: number }): Promise<ThreadSlice>

  /** A thread's entries with what chains them together, for auditors: as they are, unchecked. */
  readChain(threadId: string): Promise<ChainedEntry[]>

  /** The end of a thread: what an auditor keeps elsewhere. An unknown thread has version 0. */
  readHead(threadId: string): Promise<ThreadHead>

  /** One request by its id, with the entries that opened and last changed it. */
  getRequest(id: string): Promise<StoredRequest | undefined>

  /** Requests, newest first, in pages. */
  findRequests(query: RequestQuery): Promise<RequestPage>

  /** Open requests of all tenants whose deadline is over by the store's time, the longest overdue first. */
  due(query?: DueQuery): Promise<DuePage>

  /** The names of all threads of all tenants, in pages. An auditor's: it must not leave out what no request points at. */
  threads(query?: ThreadQuery): Promise<ThreadPage>

  /** Grants, newest first, in pages. */
  findGrants(query: GrantQuery): Promise<GrantPage>

  /** Keeps a lease for another `ttlMs`. `false`: it is no longer this claim's. */
  renewLease(threadId: string, lease: LeaseClaim & { ttlMs: number }): Promise<boolean>

  /** Settles when the thread's version is above `after` (also by another process), or when the signal fires. */
  changed(threadId: string, options: { after: number; signal: AbortSignal }): Promise<void>

  /** The same store, bound to a tenant. */
  tenant(id: string): Store

  /** Waits for what is under way, then lets go of files and connections. A second call does nothing. */
  close(): Promise<void>
}

/** One atomic change of one thread. */
export interface Append {
  threadId: string
  /** Serialised entry bodies, stored as these exact strings. */
  entries: readonly string[]
  /** Refused unless the thread is at this version. */
  version?: number
  /** Refused unless this is the thread's head: the same history, not only one of the same length. */
  head?: string
  lease?: LeaseChange
  requests?: readonly RequestChange[]
  grants?: readonly GrantChange[]
  /**
   * Signs the thread as it is, with the newest audit key, also if it was not signed so far. Refused unless this is the hash of its last entry, which
   * the caller has verified. Only without entries.
   */
  sign?: Uint8Array
}

/**
 * Names one taking of a lease. Both count: a store that was restored gives the same token again, to another holder.
 */
export interface LeaseClaim {
  holder: string
  /** Grows with every taking: an older one is void. */
  token: number
}

/**
 * What an append does with the thread's lease. A lease is free when it was dropped, has expired, or would last longer than five minutes, the
 * longest that one is given for: then it was given by a clock that was ahead.
 * `take` is refused while another holds it, unless `over` is that claim (its holder is known to be gone). `hold` is refused unless the claim is
 * the current one. `drop` never refuses: it frees the lease if it is still this claim's.
 */
export type LeaseChange =
  | { op: 'take'; holder: string; ttlMs: number; over?: LeaseClaim; thenDrop?: boolean }
  | ({ op: 'hold'; thenDrop?: boolean } & LeaseClaim)
  | ({ op: 'drop' } & LeaseClaim)

/**
 * A row of the request index. `entry` is the position, in this append, of the entry that opens or changes it; a change may be of a request
 * that the same append opens.
 */
export type RequestChange =
  | { op: 'open'; entry: number; row: RequestRow }
  /**
   * Refused unless the request is at version `from`, and from the time `before` on; sets it to `from + 1`. With `dropDeadline` it has none from
   * then on.
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

/** What requests are found by. The request itself is in the journal. */
export interface RequestRow {
  id: string
  questionId: string
  kind: 'approve' | 'confirm' | 'ask'
  agent: string
  tool: string | null
  assignee: string | null
  /** When it is due while it is open; `null`: never. */
  expiresAt: number | null
}

/**
 * A change of a grant; each is a guard as well, judged by the store's time, and sees those before it in the same append. `entry` is the
 * position, in this append, of the entry that says so.
 * `create` is refused if the id exists. `spend` is refused if the grant is unknown, revoked, expired, used up, or would pass its cap; one
 * with a cap can't be spent without an amount, and none without an entry. `revoke` is refused unless it is a grant of this thread that was not revoked before.
 */
export type GrantChange =
  | { op: 'create'; entry: number; row: GrantRow; ttlMs?: number }
  | { op: 'spend'; id: string; amount?: number }
  | { op: 'revoke'; entry: number; id: string }

/** What grants are found and counted by. The grant itself is in the journal. */
export interface GrantRow {
  id: string
  scope: GrantScope
  run: string
  agent: string
  tool: string
  uses: number | null
  cap: number | null
  /** A `ttlMs` of the change counts instead, from the store's time on. */
  expiresAt: number | null
  /** What was spent of it before the store knew it. */
  used: number
  spent: number
}

/** What came of an append. */
export type AppendOutcome =
  | { ok: true; version: number; head: string; at: number; lease: Lease | null }
  | { ok: false; conflict: Conflict; now: number }

/** Why an append was refused. `version` also if only the head differs. */
export type Conflict =
  | { kind: 'version'; version: number }
  | { kind: 'lease'; lease: Lease | null }
  | { kind: 'request'; id: string }
  | { kind: 'grant'; id: string }

/** Who drives a thread. */
export interface Lease extends LeaseClaim {
  until: number
}

/** Part of a journal. */
export interface ThreadSlice {
  version: number
  head: string
  /** The head that the thread had at the version after which it was read: what `entries` follow. `head` if it is not that long. */
  follows: string
  entries: StoredEntry[]
  lease: Lease | null
  now: number
}

/** One stored entry. */
export interface StoredEntry {
  seq: number
  at: number
  body: string
}

/** One stored entry with its links. */
export interface ChainedEntry extends StoredEntry {
  salt: Uint8Array
  hash: Uint8Array
}

/** The end of a thread: its version, the hash of its last entry, and the signature of both if the store has an `auditKey`. */
export interface ThreadHead {
  version: number
  hash: Uint8Array
  mac: HeadMac | null
}

/** One request as the store has it: index columns and the bodies of the entries that opened and last changed it. */
export interface StoredRequest {
  id: string
  threadId: string
  status: RequestStatus
  version: number
  /** When it is due while it is open; `null`: never, or not any more. */
  expiresAt: number | null
  opened: StoredEntry
  changed: StoredEntry | null
}

/** Which requests to find. `cursor` is the `next` of the page before. */
export interface RequestQuery {
  status?: RequestStatus
  threadId?: string
  tool?: string
  agent?: string
  assignee?: string
  questionId?: string
  /** 1 to 500; 50 unless told. */
  limit?: number
  cursor?: string
}

/** One page of requests, newest first. */
export interface RequestPage {
  requests: StoredRequest[]
  next?: string
}

/** Which requests are wanted of those that are due. */
export interface DueQuery {
  /** 1 to 500; 50 unless told. */
  limit?: number
  /** Only those that come after this one. */
  after?: DueRequest
}

/** Names a request of any tenant, and says since when it is due. */
export interface DueRequest {
  tenantId: string
  id: string
  expiresAt: number
}

/** Requests that are due, by deadline, then tenant and id. */
export interface DuePage {
  requests: DueRequest[]
  /** The deadline of the one that comes after these: not past `now`, unless the limit cut it off. `null`: none has one. */
  nextAt: number | null
  now: number
}

/** Which threads to list. */
export interface ThreadQuery {
  /** 1 to 500; 50 unless told. */
  limit?: number
  /** Only those that come after this one: the `next` of the page before. */
  after?: ThreadName
}

/** Names a thread of any tenant. */
export interface ThreadName {
  tenantId: string
  threadId: string
}

/** Threads by tenant, then id, each in the order of its characters. */
export interface ThreadPage {
  threads: ThreadName[]
  /** The last of these, if there are more. */
  next?: ThreadName
}

/** Where a grant stands. */
export type GrantStatus = 'active' | 'used_up' | 'expired' | 'revoked'

/** One grant as the store has it: what is left of it, and the bodies of the entries that created and revoked it. */
export interface StoredGrant {
  id: string
  threadId: string
  status: GrantStatus
  uses: number | null
  used: number
  cap: number | null
  spent: number
  expiresAt: number | null
  created: StoredEntry
  revoked: StoredEntry | null
}

/** Which grants to find. `cursor` is the `next` of the page before. */
export interface GrantQuery {
  /** Default `'active'`: those that can still be spent. */
  status?: 'active' | 'all'
  id?: string
  /** That were given in this thread. */
  threadId?: string
  /** That were given to this agent. */
  agent?: string
  tool?: string
  /** That reach calls of these tools, made by these agents, in this run of this thread. Served by an index. */
  reach?: GrantReach
  /** 1 to 500; 50 unless told. */
  limit?: number
  cursor?: string
}

/** From where a grant would be used. */
export interface GrantReach {
  threadId: string
  run: string
  agents: readonly string[]
  tools: readonly string[]
}

/** One page of grants, newest first. */
export interface GrantPage {
  grants: StoredGrant[]
  next?: string
}
