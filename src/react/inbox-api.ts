import type { Me } from '../protocol/api/people.ts'
import type { Figures, GrantItem, LiveEvent, ThreadDetail } from '../protocol/api/records.ts'
import type {
  AnswerBody,
  ApiRequestPage,
  BulkBody,
  BulkResult,
  Counts,
  DecideBody,
  RequestDetail,
  RequestFilter,
  RequestItem,
} from '../protocol/api/requests.ts'
import type { Decision } from '../protocol/decision.ts'
import type { GrantOptions } from '../protocol/grant.ts'

/** Options of a write. The same key is the same write, however often it is sent. */
export interface WriteOptions {
  idempotencyKey?: string
}

/** The filters of a list. All must match; `status` is `'open'` by default. */
export interface ListFilter extends Omit<RequestFilter, 'mine'> {
  /** Only those that the caller may decide, and that nobody else has taken. */
  mine?: boolean
}

/** A decision about a call, and the version and digest that the person saw. */
export interface DecideInput extends Omit<DecideBody, 'decision' | 'always'> {
  decision: Decision
  /** A standing decision: `true`, or its limits. */
  always?: boolean | GrantOptions
}

/** Whether events arrive. `waiting`: the connection was lost and is tried again. `closed`: nothing more comes. */
export type LiveState = 'connecting' | 'live' | 'waiting' | 'closed'

/** A stream of events. */
export interface LiveEvents {
  retryNow(): void
  close(): void
}

/** What the hooks need of a client. `createInboxClient` of `holdpoint/client` makes one; tests and stories may bring their own. */
export interface InboxApi {
  me(): Promise<Me>
  counts(): Promise<Counts>
  requests(query?: ListFilter & { limit?: number; cursor?: string }): Promise<ApiRequestPage>
  request(id: string): Promise<RequestDetail>
  decide(id: string, body: DecideInput, options?: WriteOptions): Promise<RequestItem>
  answer(id: string, body: AnswerBody, options?: WriteOptions): Promise<RequestItem>
  withdraw(id: string, body: { version: number }, options?: WriteOptions): Promise<RequestItem>
  bulk(body: BulkBody, options?: WriteOptions): Promise<BulkResult>
  grants(query?: { cursor?: string; status?: 'active' | 'all' }): Promise<{ grants: GrantItem[]; next?: string }>
  revoke(id: string, body?: { reason?: string }, options?: WriteOptions): Promise<GrantItem>
  thread(id: string): Promise<ThreadDetail>
  figures(query?: { days?: number }): Promise<Figures>
  events(options: { onEvent: (event: LiveEvent) => void; onState?: (state: LiveState) => void }): LiveEvents
}
