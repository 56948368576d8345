/**
 * The outbox: what happened to requests and grants, in the order of commits, of all tenants. The store itself writes a row for every change of a
 * request or a grant, in the transaction of that change, so no writer can forget it. Appends that `tell` or `erase` add a row about their thread. Each consumer
 * keeps its own position, and ignores subjects that it does not know.
 *
 * O1  There is a row exactly if there is its change. It is shown no earlier, and as soon as O2 allows it.
 * O2  A reader that goes on from a page's `end` never misses a row, also not one whose transaction began earlier and commits later.
 * O3  Rows are kept for a week at least. A position before the oldest kept row is answered with `missed`.
 */
export interface OutboxStore {
  /** Rows after a position, oldest first. Without `after`: no rows, and the current end. */
  outbox(query?: OutboxQuery): Promise<OutboxPage>
  /** Resolves when there may be rows after a position (including writes of other processes), or when the signal fires. */
  outboxChanged(options: { after: string; signal: AbortSignal }): Promise<void>
  /** Deletes expired records, and rows of the outbox that are older than this. For the sweeper. */
  prune(options: { outboxMs: number }): Promise<void>
}

/** A query for rows of the outbox. */
export interface OutboxQuery {
  /** The `end` of the previous page. `''` is the beginning. */
  after?: string
  /** Only rows of this tenant. How many others there are shows nowhere. Left out: rows of all. */
  tenantId?: string
  /** 1 to 1000; default 100. */
  limit?: number
}

/** A page of the outbox. */
export interface OutboxPage {
  rows: OutboxRow[]
  /** The position after these rows. An opaque string of the store, at most 40 characters; the gateway encrypts it before a client sees it. */
  end: string
  /** Rows after `after` may have been deleted: a consumer must load everything again. */
  missed: boolean
}

/** What a row is about. */
export type OutboxSubject = 'request' | 'grant' | 'thread'

/** What happens to a request that may give a driver something to do. */
export const drivingChanges: readonly string[] = ['decided', 'expired', 'cancelled', 'aborted', 'superseded']

/** One thing that happened. What it says of the request is how it was then; read it for how it is now. */
export interface OutboxRow {
  position: string
  tenantId: string
  threadId: string
  subject: OutboxSubject
  /** The id of the request, the grant or the thread. */
  id: string
  /** Of a request: `opened`, `decided`, `reopened`, `escalated`, `expired`, `cancelled`, `aborted`, `superseded`, `assigned`, `commented`. Of a grant: `created`, `revoked`. Of a thread: `ready`, which says that it must be driven, and `erased`. */
  what: string
  /** The request's version after it; 0 for others. */
  version: number
  at: number
}
