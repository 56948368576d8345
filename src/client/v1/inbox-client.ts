import type { DecideBody, RequestFilter } from '../../protocol/api/requests.ts'
import type { Decision } from '../../protocol/decision.ts'
import type { GrantOptions } from '../../protocol/grant.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { EventsOptions, LiveEvents } from './live.ts'
import type {
  AnswerBody,
  ApiGrantPage,
  ApiJournalPage,
  ApiRequestPage,
  ApiSessionPage,
  ApiThreadPage,
  AuditLine,
  BulkBody,
  BulkResult,
  CancelBody,
  Counts,
  Delivery,
  Figures,
  GrantItem,
  Me,
  PreviewResult,
  RequestComment,
  RequestDetail,
  RequestItem,
  RetryBody,
  SignIn,
  ThreadDetail,
  Verification,
  Webhook,
  WebhookBody,
  WebhookChange,
} from './types.ts'

/** How a call is made. */
export interface CallOptions {
  /** Gives up and throws the signal's reason. Whether a write arrived is then unknown. */
  signal?: AbortSignal
}

/** How a write is made. */
export interface WriteOptions extends CallOptions {
  /**
   * A repeated write with the same key has no second effect, for 24 hours. Default: a fresh one for each call, which is kept for its own retries. Give
   * one to repeat a write yourself.
   */
  idempotencyKey?: string
}

/** Which page of a list. */
export interface PageQuery {
  limit?: number
  /** The `next` of the page before. */
  cursor?: string
}

/** Which steps of a thread's story. */
export interface StoryQuery {
  /** How many: 1 to 200. A page may have a few more, since what belongs together is not divided. */
  limit?: number
  /** The `before` of a request or of a thread: the steps before it. */
  before?: string
  /** The `before` of a request or of a thread: the steps from there to the end. */
  from?: string
}

/** The filters of a list of requests. All must match; `status` is `'open'` by default. */
export interface RequestListFilter extends Omit<RequestFilter, 'mine'> {
  /** Only those that the caller may decide, and that nobody else has taken. */
  mine?: boolean
  /** Newest first: by when it was opened (default), or by when it was opened or last changed, such as by a decision. */
  order?: 'opened' | 'changed'
}

/** A decision about a call, and the version and digest that the person saw. */
export interface DecideInput extends Omit<DecideBody, 'decision' | 'always'> {
  decision: Decision
  /** A standing decision: `true`, or its limits. */
  always?: boolean | GrantOptions
}

/** Webhooks, for admins. */
export interface WebhookCalls {
  list(options?: CallOptions): Promise<{ webhooks: Webhook[] }>
  /** The answer has the secret, which is shown once. */
  add(body: WebhookBody, options?: WriteOptions): Promise<Webhook>
  remove(id: string, options?: WriteOptions): Promise<void>
  /** Pauses a webhook, or lets it go on. */
  change(id: string, body: WebhookChange, options?: WriteOptions): Promise<Webhook>
  /** Makes a new secret. The old one signs too for a while. */
  rotate(id: string, options?: WriteOptions): Promise<Webhook>
  test(id: string, options?: WriteOptions): Promise<Delivery>
  deliveries(id: string, query?: PageQuery, options?: CallOptions): Promise<{ deliveries: Delivery[]; next?: string }>
  /** Sends a failed message again. */
  resend(deliveryId: string, options?: WriteOptions): Promise<Delivery>
}

/**
 * A person's seat at a gateway: everything under `/v1`. Each call throws `ApiError` if the gateway refuses and `NetworkError` if it cannot be reached.
 * Reads, and writes with their idempotency key, are tried again first.
 */
export interface InboxClient {
  /** The caller, and what this gateway offers. */
  me(options?: CallOptions): Promise<Me>
  /** A page of requests, newest first. */
  requests(query?: RequestListFilter & PageQuery, options?: CallOptions): Promise<ApiRequestPage>
  /** What waits for the caller. */
  counts(options?: CallOptions): Promise<Counts>
  /** One request with what a person needs to decide it. */
  request(id: string, options?: CallOptions): Promise<RequestDetail>
  /** Decides a call. A request that changed or was decided is a 409 with `request` as it is now. */
  decide(id: string, body: DecideInput, options?: WriteOptions): Promise<RequestItem>
  /** Answers a `confirm` or an `ask`. */
  answer(id: string, body: AnswerBody, options?: WriteOptions): Promise<RequestItem>
  /** Closes a `confirm` or an `ask` that cannot be answered. */
  cancel(id: string, body: CancelBody, options?: WriteOptions): Promise<RequestItem>
  /** Takes a decision back inside of its undo window. */
  withdraw(id: string, body: { version: number }, options?: WriteOptions): Promise<RequestItem>
  /** What an edited call would do. Changes nothing. */
  preview(
    id: string,
    body: { version: number; args: JsonObject; toolName?: string },
    options?: CallOptions,
  ): Promise<PreviewResult>
  /** Decides several requests, each as it was seen. The answer has an outcome for each. */
  bulk(body: BulkBody, options?: WriteOptions): Promise<BulkResult>
  comment(id: string, body: { text: string }, options?: WriteOptions): Promise<RequestComment>
  /** Assigns a request to somebody, or to nobody. */
  assign(id: string, body: { assignee: string | null; seconds?: number }, options?: WriteOptions): Promise<RequestItem>
  /** Takes a request for a while (default ten minutes), so that others see it. */
  claim(id: string, body?: { seconds?: number }, options?: WriteOptions): Promise<RequestItem>
  /** Threads that have requests which the caller may see, newest first. With `stuck`: those that should be driven and are not, for operators and admins. */
  threads(query?: PageQuery & { stuck?: boolean }, options?: CallOptions): Promise<ApiThreadPage>
  /** Lets workers try a stuck thread again, for operators and admins. With `version` its run moves to that version of its agent. */
  retry(id: string, body?: RetryBody, options?: WriteOptions): Promise<{ retried: boolean }>
  /** Ends the run of a thread for good and closes its requests, for operators and admins. `false`: there was nothing to end. */
  abort(id: string, body: { reason: string }, options?: WriteOptions): Promise<{ aborted: boolean }>
  /**
   * A thread with its story: all of a short one, else the last steps. With `before`, which is the `before` of an answer, those before them; with `from`
   * those from there to the end.
   */
  thread(id: string, options?: CallOptions & StoryQuery): Promise<ThreadDetail>
  /** The entries of a thread, for operators, admins and auditors: those after a number, or the last ones. */
  journal(
    id: string,
    query?: { after?: number; limit?: number; last?: number },
    options?: CallOptions,
  ): Promise<ApiJournalPage>
  /** Standing decisions. */
  grants(
    query?: PageQuery & { status?: 'active' | 'all'; thread?: string; tool?: string },
    options?: CallOptions,
  ): Promise<ApiGrantPage>
  revoke(id: string, body?: { reason?: string }, options?: WriteOptions): Promise<GrantItem>
  /** The lines of an export of the journal, as they come. It is not tried again once it has begun. */
  audit(
    query?: { thread?: string; from?: string; to?: string },
    options?: CallOptions,
  ): AsyncGenerator<AuditLine, void, void>
  /** Checks hash chains. With `next` in the answer there are more threads: go on with it as `after`. */
  verify(query?: { thread?: string; after?: string }, options?: CallOptions): Promise<Verification>
  /** Figures about requests and decisions of some days (default 7). */
  figures(query?: { days?: number }, options?: CallOptions): Promise<Figures>
  /** Signs in with a one-time code or a token. The gateway sets the cookie. Sent once. */
  signIn(body: SignIn, options?: CallOptions): Promise<Me>
  signOut(options?: CallOptions): Promise<void>
  /** The caller's sign-ins; of everybody for admins, or of one `person`. */
  sessions(query?: PageQuery & { person?: string }, options?: CallOptions): Promise<ApiSessionPage>
  endSession(id: string, options?: CallOptions): Promise<void>
  readonly webhooks: WebhookCalls
  /** Everything that the caller may see, as it happens, over any number of connections. Open it first, and load what is shown when it is `live`. */
  events(options: EventsOptions): LiveEvents
}
