import type { RequestStatus, Risk } from '../protocol/request.ts'
import type { StoredEntry } from './stored-entry.ts'

/** A stored request: its indexed fields, and the bodies of the entries that opened and last changed it. */
export interface StoredRequest {
  id: string
  threadId: string
  status: RequestStatus
  version: number
  /** Its deadline while it is open. `null`: none, or removed. */
  expiresAt: number | null
  /** Who has it now, until when. `null`: nobody, or the time is up. */
  assigned: { id: string; until: number | null } | null
  /** How many comments it has. */
  comments: number
  opened: StoredEntry
  changed: StoredEntry | null
}

/** A query for requests. All filters must match. `cursor` is the `next` of the previous page. */
export interface RequestQuery {
  /** `'closed'`: any but open. */
  status?: RequestStatus | 'closed'
  threadId?: string
  /** Only requests of threads whose ids begin with one of these; with `threadId`, also those of that thread. Served by an index. */
  threadsUnder?: readonly string[]
  tool?: string
  agent?: string
  /** The assignee that its opener named. */
  assignee?: string
  questionId?: string
  kind?: 'approve' | 'confirm' | 'ask'
  risk?: Risk
  /** Only requests that name one of these as a reviewer; `'*'` stands for requests that name nobody. Left out: all. */
  readers?: readonly string[]
  /** Only requests that these names together may decide: each of their reviewer lists has one of them. Requests without reviewers match too. */
  satisfiedBy?: readonly string[]
  /** Only requests of this person: assigned to them now or, without an assignment, named so by their opener. */
  assignedTo?: string
  /** Only requests that are this person's or nobody's. */
  notAssignedToOthers?: string
  /** Only ids made before this time, or at it and later. Ids are UUIDv7. */
  openedBefore?: number
  openedAfter?: number
  /** Words that all occur in the searched text, in any case and order. */
  text?: string
  /** Newest first: by when it was opened (default), or by when it was opened or last changed. */
  order?: RequestOrder
  /** 1 to 500; default 50. */
  limit?: number
  cursor?: string
}

/** What orders a list of requests. */
export type RequestOrder = 'opened' | 'changed'

/** One page of requests, newest first. */
export interface RequestPage {
  requests: StoredRequest[]
  next?: string
}

/** What to count: the filters of a {@link RequestQuery}. */
export type RequestCountQuery = Omit<RequestQuery, 'order' | 'limit' | 'cursor'>

/** Where counting stops: 1 to 1000; default 1000. */
export interface CountLimit {
  limit?: number
}

/** A count. `more`: there are more than the limit, which is the count. */
export interface RequestCount {
  count: number
  more: boolean
}

/** A query for threads with requests. `cursor` is the `next` of the previous page. */
export interface ReaderThreadQuery {
  /** As in {@link RequestQuery}. */
  readers?: readonly string[]
  /** 1 to 500; default 50. */
  limit?: number
  cursor?: string
}

/** A thread with requests that a reader may see. Other requests are not part of it. */
export interface ReaderThread {
  threadId: string
  /** How many of them are open. */
  open: number
  /** When the newest of them was opened or last changed. */
  lastAt: number
}

/** One page of threads, by their newest request. */
export interface ReaderThreadPage {
  threads: ReaderThread[]
  next?: string
}

/** A query for overdue requests. */
export interface DueQuery {
  /** 1 to 500; default 50. */
  limit?: number
  /** Only requests after this one. */
  after?: DueRequest
}

/** A request of any tenant, with its deadline. */
export interface DueRequest {
  tenantId: string
  id: string
  expiresAt: number
}

/** Overdue requests, by deadline, then tenant and id. */
export interface DuePage {
  requests: DueRequest[]
  /**
   * The deadline of the next request after these. Not past `now`, unless the limit cut it off. `null`: there is none.
   */
  nextAt: number | null
  now: number
}

/** A query for threads that must be driven. */
export interface ReadyQuery {
  /** 1 to 500; default 50. */
  limit?: number
  /** Only threads after this one. */
  after?: ReadyThread
}

/** A thread of any tenant that must be driven, with its wake mark. */
export interface ReadyThread {
  tenantId: string
  threadId: string
  at: number
  tries: number
  /** The agent of its latest run. `null`: it is not known. */
  agent: string | null
  /** Its version. `null`: it has none. */
  agentVersion: string | null
}

/** Threads that must be driven, by wake time, then tenant and id. */
export interface ReadyPage {
  threads: ReadyThread[]
  /** The first wake time after `now`, of all threads. `null`: there is none. */
  nextAt: number | null
  now: number
}

/** The open requests of all tenants. */
export interface RequestQueue {
  /** How many are open, up to 10,000. */
  open: number
  /** There are more. */
  more: boolean
  /** When the one with the lowest id was opened: ids are UUIDv7, so it is the oldest. `null`: none is open. */
  oldestAt: number | null
  now: number
}

/** A query for threads. */
export interface ThreadQuery {
  /** 1 to 500; default 50. */
  limit?: number
  /** Only threads after this one: the `next` of the previous page. */
  after?: ThreadName
  /** Only threads that were last written before this time, and are not erased. */
  before?: number
}

/** A thread of any tenant. */
export interface ThreadName {
  tenantId: string
  threadId: string
}

/** Threads by tenant, then id, both in character order. */
export interface ThreadPage {
  threads: ThreadName[]
  /** The last of these, if there are more. */
  next?: ThreadName
}

/** The status of a grant. */
export type GrantStatus = 'active' | 'used_up' | 'expired' | 'revoked'

/** A stored grant: what is left of it, and the bodies of the entries that created and revoked it. */
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

/** A query for grants. `cursor` is the `next` of the previous page. */
export interface GrantQuery {
  /** Default `'active'`: grants that can still be spent. */
  status?: 'active' | 'all'
  id?: string
  /** Only grants given in this thread. */
  threadId?: string
  /** Only grants given to this agent. */
  agent?: string
  tool?: string
  /** Only grants that cover calls of these tools by these agents in this run, thread and conversation. Served by an index. */
  reach?: GrantReach
  /** 1 to 500; default 50. */
  limit?: number
  cursor?: string
}

/** The place from which a grant would be used. */
export interface GrantReach {
  threadId: string
  run: string
  /** The key of the conversation, if the call comes from outside. */
  conversation?: string
  agents: readonly string[]
  tools: readonly string[]
}

/** One page of grants, newest first. */
export interface GrantPage {
  grants: StoredGrant[]
  next?: string
}
