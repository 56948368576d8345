import type { RequestStatus } from '../protocol/request.ts'
import type { StoredEntry } from './stored-entry.ts'

/** A stored request: its indexed fields, and the bodies of the entries that opened and last changed it. */
export interface StoredRequest {
  id: string
  threadId: string
  status: RequestStatus
  version: number
  /** Its deadline while it is open. `null`: none, or removed. */
  expiresAt: number | null
  opened: StoredEntry
  changed: StoredEntry | null
}

/** A query for requests. `cursor` is the `next` of the previous page. */
export interface RequestQuery {
  status?: RequestStatus
  threadId?: string
  tool?: string
  agent?: string
  assignee?: string
  questionId?: string
  /** 1 to 500; default 50. */
  limit?: number
  cursor?: string
}

/** One page of requests, newest first. */
export interface RequestPage {
  requests: StoredRequest[]
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

/** A query for threads. */
export interface ThreadQuery {
  /** 1 to 500; default 50. */
  limit?: number
  /** Only threads after this one: the `next` of the previous page. */
  after?: ThreadName
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
  /** Only grants that cover calls of these tools by these agents in this run and thread. Served by an index. */
  reach?: GrantReach
  /** 1 to 500; default 50. */
  limit?: number
  cursor?: string
}

/** The place from which a grant would be used. */
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
