// holdpoint/client: 75 exports. Written by `npm run api`; do not edit.

import type { Decision, GrantOptions, HilInterruptContent, HilReply, HitlRequest, JsonObject, JsonValue } from 'holdpoint'

export type AnswerBody = z.infer<typeof answerBody>;

export declare class ApiError extends Error {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
    readonly request: RequestItem | undefined;
    readonly problems: readonly string[] | undefined;
    readonly retryAfterMs: number;
    constructor(status: number, code: string, { detail, request, problems, retryAfterMs, cause }: Refused);
}

export type ApiGrantPage = z.infer<typeof grantPage>;

export type ApiJournalPage = z.infer<typeof journalPage>;

export type ApiRequestPage = z.infer<typeof requestPage>;

export type ApiSessionPage = z.infer<typeof sessionPage>;

export type ApiThreadPage = z.infer<typeof threadPage>;

export type AuditLine = z.infer<typeof auditLine>;

export interface BackOffOptions {
    initialMs?: number;
    maxMs?: number;
}

export type BulkBody = z.infer<typeof bulkBody>;

export type BulkResult = z.infer<typeof bulkResult>;

export interface CallOptions {
    signal?: AbortSignal;
}

export type CancelBody = z.infer<typeof cancelBody>;

export interface Client {
    messages(sessionId: string, options?: MessagesOptions): AsyncGenerator<ClientMessage, void, void>;
    respond(sessionId: string, messageId: string, reply: HilReply, options?: RespondOptions): Promise<RespondOutcome>;
    session(sessionId: string, options?: MessagesOptions): Session;
    inbox(options?: {
        signal?: AbortSignal;
    }): Inbox;
    serveTools(sessionId: string, handlers: RemoteHandlers, options?: MessagesOptions): Promise<void>;
}

export declare class ClientError extends Error {
    readonly code: ClientErrorCode;
    readonly status: number | undefined;
    readonly detail: string;
    constructor(code: ClientErrorCode, detail: string, more?: {
        status?: number;
        cause?: unknown;
    });
}

export type ClientErrorCode =
'bad_request'
 | 'unauthorized'
 | 'forbidden'
 | 'refused'
 | 'unreachable'
 | 'invalid_response'
 | 'invalid_options';

export interface ClientInterrupt {
    kind: 'interrupt';
    id: string;
    position: string;
    content: HilInterruptContent;
    replySchema?: JsonObject;
}

export type ClientMessage = ClientInterrupt | ClientNotification;

export interface ClientNotification {
    kind: 'notification';
    id: string;
    position: string;
    content: JsonObject;
}

export interface ClientOptions extends ConnectionOptions {
    transport?: 'auto' | 'sse' | 'poll';
    pollTimeoutSeconds?: number;
    pollIntervalMs?: number;
    requestTimeoutMs?: number;
    silenceMs?: number;
    maxConnections?: number;
}

export interface ConnectionOptions {
    url: string;
    token: TokenSource;
    fetch?: typeof globalThis.fetch;
    backoff?: BackOffOptions;
}

export type Counts = z.infer<typeof counts>;

export interface DecideInput extends Omit<DecideBody, 'decision' | 'always'> {
    decision: Decision;
    always?: boolean | GrantOptions;
}

export type Delivery = z.infer<ReturnType<typeof delivery>>;

export type Display = z.infer<ReturnType<typeof display>>;

export type DisplayField = z.infer<ReturnType<typeof displayField>>;

export interface EventsOptions {
    onEvent: (event: LiveEvent) => void;
    onState?: (state: LiveState, problem?: ApiError | NetworkError) => void;
    signal?: AbortSignal;
    after?: string;
}

export type FieldFormat = DisplayField['format'];

export type Figures = z.infer<typeof figures>;

export type GrantItem = z.infer<typeof grantItem>;

export declare class Inbox {
    readonly ended: Promise<void>;
    get pending(): readonly InboxInterrupt[];
    get sessions(): readonly string[];
    get state(): SessionState;
    get error(): unknown;
    subscribe(listener: (change: InboxChange) => void): () => void;
    respond({ session, id }: Pick<InboxInterrupt, 'session' | 'id'>, reply: HilReply, options?: RespondOptions): Promise<RespondOutcome>;
    close(): void;
}

export type InboxChange = {
    type: 'state';
    state: SessionState;
} | {
    type: 'sessions';
    sessions: readonly string[];
} | {
    type: 'message';
    message: InboxMessage;
}
 | {
    type: 'settled';
    session: string;
    messageId: string;
};

export interface InboxClient {
    me(options?: CallOptions): Promise<Me>;
    requests(query?: RequestListFilter & PageQuery, options?: CallOptions): Promise<ApiRequestPage>;
    counts(options?: CallOptions): Promise<Counts>;
    request(id: string, options?: CallOptions): Promise<RequestDetail>;
    decide(id: string, body: DecideInput, options?: WriteOptions): Promise<RequestItem>;
    answer(id: string, body: AnswerBody, options?: WriteOptions): Promise<RequestItem>;
    cancel(id: string, body: CancelBody, options?: WriteOptions): Promise<RequestItem>;
    withdraw(id: string, body: {
        version: number;
    }, options?: WriteOptions): Promise<RequestItem>;
    preview(id: string, body: {
        version: number;
        args: JsonObject;
        toolName?: string;
    }, options?: CallOptions): Promise<PreviewResult>;
    bulk(body: BulkBody, options?: WriteOptions): Promise<BulkResult>;
    comment(id: string, body: {
        text: string;
    }, options?: WriteOptions): Promise<RequestComment>;
    assign(id: string, body: {
        assignee: string | null;
        seconds?: number;
    }, options?: WriteOptions): Promise<RequestItem>;
    claim(id: string, body?: {
        seconds?: number;
    }, options?: WriteOptions): Promise<RequestItem>;
    threads(query?: PageQuery & {
        stuck?: boolean;
    }, options?: CallOptions): Promise<ApiThreadPage>;
    retry(id: string, body?: RetryBody, options?: WriteOptions): Promise<{
        retried: boolean;
    }>;
    abort(id: string, body: {
        reason: string;
    }, options?: WriteOptions): Promise<{
        aborted: boolean;
    }>;
    thread(id: string, options?: CallOptions & StoryQuery): Promise<ThreadDetail>;
    journal(id: string, query?: {
        after?: number;
        limit?: number;
        last?: number;
    }, options?: CallOptions): Promise<ApiJournalPage>;
    grants(query?: PageQuery & {
        status?: 'active' | 'all';
        thread?: string;
        tool?: string;
    }, options?: CallOptions): Promise<ApiGrantPage>;
    revoke(id: string, body?: {
        reason?: string;
    }, options?: WriteOptions): Promise<GrantItem>;
    audit(query?: {
        thread?: string;
        from?: string;
        to?: string;
    }, options?: CallOptions): AsyncGenerator<AuditLine, void, void>;
    verify(query?: {
        thread?: string;
        after?: string;
    }, options?: CallOptions): Promise<Verification>;
    figures(query?: {
        days?: number;
    }, options?: CallOptions): Promise<Figures>;
    signIn(body: SignIn, options?: CallOptions): Promise<Me>;
    signOut(options?: CallOptions): Promise<void>;
    sessions(query?: PageQuery & {
        person?: string;
    }, options?: CallOptions): Promise<ApiSessionPage>;
    endSession(id: string, options?: CallOptions): Promise<void>;
    readonly webhooks: WebhookCalls;
    events(options: EventsOptions): LiveEvents;
}

export interface InboxClientOptions {
    url?: string;
    token?: TokenSource;
    fetch?: typeof globalThis.fetch;
    backoff?: BackOffOptions;
    timeoutMs?: number;
    tries?: number;
    silenceMs?: number;
    traceparent?: () => string | undefined;
    onSignedOut?: (error: ApiError) => void;
}

export type InboxInterrupt = ClientInterrupt & {
    session: string;
};

export type InboxMessage = ClientMessage & {
    session: string;
};

export type LiveEvent = z.infer<typeof liveEvent>;

export interface LiveEvents {
    readonly state: LiveState;
    readonly lastEventId: string | undefined;
    retryNow(): void;
    close(): void;
    readonly ended: Promise<void>;
}

export type LiveState = 'connecting' | 'live' | 'waiting' | 'closed';

export type Me = z.infer<typeof me>;

export interface MessagesOptions {
    after?: string;
    signal?: AbortSignal;
}

export declare class NetworkError extends Error {
    readonly late: boolean;
    constructor(problem: string, { late, cause }?: {
        late?: boolean;
        cause?: unknown;
    });
}

export interface PageQuery {
    limit?: number;
    cursor?: string;
}

export type PreviewResult = z.infer<ReturnType<typeof previewResult>>;

export interface Refused {
    detail: string;
    request?: RequestItem;
    problems?: readonly string[];
    retryAfterMs?: number;
    cause?: unknown;
}

export interface RemoteCall {
    readonly signal: AbortSignal;
    readonly idempotencyKey: string;
    readonly fencingToken?: number;
    readonly traceparent?: string;
    progress(value: JsonValue): void;
}

export type RemoteHandler = (args: any, call: RemoteCall) => unknown;

export type RemoteHandlers = {
    [toolName: string]: RemoteHandler;
};

export type RequestComment = z.infer<typeof comment>;

export type RequestDetail = z.infer<typeof requestDetail>;

export type RequestEvent = (typeof requestEvents)[number];

export type RequestItem = z.infer<typeof requestItem>;

export interface RequestListFilter extends Omit<RequestFilter, 'mine'> {
    mine?: boolean;
    order?: 'opened' | 'changed';
}

export interface RespondOptions {
    comment?: string;
    always?: boolean | GrantOptions;
    undoSeconds?: number;
    tries?: number;
    signal?: AbortSignal;
}

export type RespondOutcome = 'answered' | 'unheard' | 'gone' | 'maybe';

export type RetryBody = z.infer<typeof retryBody>;

export type Role = (typeof roles)[number];

export declare class Session {
    readonly id: string;
    readonly ended: Promise<void>;
    get pending(): readonly ClientInterrupt[];
    get state(): SessionState;
    get lastId(): string;
    get error(): unknown;
    subscribe(listener: (change: SessionChange) => void): () => void;
    respond(messageId: string, reply: HilReply, options?: RespondOptions): Promise<RespondOutcome>;
    close(): void;
}

export type SessionChange = {
    type: 'state';
    state: SessionState;
} | {
    type: 'message';
    message: ClientMessage;
}
 | {
    type: 'settled';
    messageId: string;
};

export type SessionState = 'connecting' | 'open' | 'retrying' | 'gone' | 'closed';

export type SignIn = z.infer<typeof signIn>;

export type SignedIn = z.infer<typeof signedIn>;

export type StoryItem = z.infer<typeof storyItem>;

export interface StoryQuery {
    limit?: number;
    before?: string;
    from?: string;
}

export type ThreadDetail = z.infer<typeof threadDetail>;

export type TitlePart = z.infer<ReturnType<typeof titlePart>>;

export type Verification = z.infer<typeof verification>;

export type Webhook = z.infer<ReturnType<typeof webhook>>;

export type WebhookBody = z.infer<ReturnType<typeof webhookBody>>;

export interface WebhookCalls {
    list(options?: CallOptions): Promise<{
        webhooks: Webhook[];
    }>;
    add(body: WebhookBody, options?: WriteOptions): Promise<Webhook>;
    remove(id: string, options?: WriteOptions): Promise<void>;
    change(id: string, body: WebhookChange, options?: WriteOptions): Promise<Webhook>;
    rotate(id: string, options?: WriteOptions): Promise<Webhook>;
    test(id: string, options?: WriteOptions): Promise<Delivery>;
    deliveries(id: string, query?: PageQuery, options?: CallOptions): Promise<{
        deliveries: Delivery[];
        next?: string;
    }>;
    resend(deliveryId: string, options?: WriteOptions): Promise<Delivery>;
}

export type WebhookChange = z.infer<ReturnType<typeof webhookChange>>;

export interface WriteOptions extends CallOptions {
    idempotencyKey?: string;
}

export declare function createClient(options: ClientOptions): Client;

export declare function createInboxClient(options?: InboxClientOptions): InboxClient;

export declare function requestOf({ content }: ClientInterrupt): HitlRequest | undefined;

// Not exported, and part of the declarations above.

type DecideBody = z.infer<typeof decideBody>;

type RequestFilter = z.input<typeof requestFilter>;

type TokenSource = string | (() => string | Promise<string>);

declare const answerBody: z.ZodObject<{
    version: z.ZodNumber;
    digest: z.ZodExactOptional<z.ZodString>;
    shown: z.ZodExactOptional<z.ZodString>;
    comment: z.ZodExactOptional<z.ZodString>;
    answer: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
}, z.core.$strict>;

declare const auditLine: z.ZodObject<{
    thread: z.ZodString;
    seq: z.ZodNumber;
    at: z.ZodISODateTime;
    hash: z.ZodString;
    entry: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
}, z.core.$strip>;

declare const bulkBody: z.ZodObject<{
    items: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        version: z.ZodNumber;
        digest: z.ZodString;
        shown: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strict>>;
    decision: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"approve">;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"reject">;
        message: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strict>], "type">;
    comment: z.ZodExactOptional<z.ZodString>;
    undoSeconds: z.ZodExactOptional<z.ZodNumber>;
}, z.core.$strict>;

declare const bulkResult: z.ZodObject<{
    outcomes: z.ZodArray<z.ZodUnion<readonly [z.ZodObject<{
        id: z.ZodString;
        ok: z.ZodLiteral<true>;
        request: z.ZodObject<{
            allowedDecisions: z.ZodArray<z.ZodEnum<{
                approve: "approve";
                edit: "edit";
                reject: "reject";
                respond: "respond";
            }>>;
            description: z.ZodExactOptional<z.ZodString>;
            risk: z.ZodExactOptional<z.ZodEnum<{
                high: "high";
                low: "low";
                medium: "medium";
            }>>;
            reviewers: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            reviewerLists: z.ZodExactOptional<z.ZodArray<z.ZodArray<z.ZodString>>>;
            via: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            argsSchema: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
            decisionValidSeconds: z.ZodExactOptional<z.ZodNumber>;
            id: z.ZodString;
            questionId: z.ZodString;
            kind: z.ZodEnum<{
                approve: "approve";
                ask: "ask";
                confirm: "confirm";
            }>;
            agent: z.ZodString;
            path: z.ZodArray<z.ZodString>;
            host: z.ZodExactOptional<z.ZodObject<{
                source: z.ZodString;
                conversation: z.ZodString;
                callId: z.ZodExactOptional<z.ZodString>;
                principal: z.ZodExactOptional<z.ZodString>;
            }, z.core.$strip>>;
            toolName: z.ZodExactOptional<z.ZodString>;
            toolCallId: z.ZodExactOptional<z.ZodString>;
            args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
            argsInput: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
            digest: z.ZodExactOptional<z.ZodString>;
            shown: z.ZodExactOptional<z.ZodString>;
            preview: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
            preconditions: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
            prompt: z.ZodExactOptional<z.ZodString>;
            details: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
            questions: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
                key: z.ZodString;
                prompt: z.ZodString;
                options: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
                    label: z.ZodString;
                    value: z.ZodString;
                    description: z.ZodExactOptional<z.ZodString>;
                    allowInput: z.ZodExactOptional<z.ZodBoolean>;
                }, z.core.$strip>>>;
                multiSelect: z.ZodExactOptional<z.ZodBoolean>;
                required: z.ZodExactOptional<z.ZodBoolean>;
            }, z.core.$strip>>>;
            reason: z.ZodExactOptional<z.ZodString>;
            supersedes: z.ZodExactOptional<z.ZodString>;
            assignee: z.ZodExactOptional<z.ZodString>;
            onTimeout: z.ZodExactOptional<z.ZodEnum<{
                allow: "allow";
                escalate: "escalate";
                keep: "keep";
                reject: "reject";
            }>>;
            threadId: z.ZodString;
            tenant: z.ZodString;
            status: z.ZodEnum<{
                aborted: "aborted";
                cancelled: "cancelled";
                decided: "decided";
                expired: "expired";
                open: "open";
                superseded: "superseded";
            }>;
            version: z.ZodNumber;
            title: z.ZodString;
            display: z.ZodExactOptional<z.ZodObject<{
                title: z.ZodArray<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
                    path: z.ZodString;
                }, z.core.$strip>]>>;
                fields: z.ZodArray<z.ZodObject<{
                    path: z.ZodString;
                    label: z.ZodExactOptional<z.ZodString>;
                    format: z.ZodEnum<{
                        code: "code";
                        date: "date";
                        email: "email";
                        enum: "enum";
                        flag: "flag";
                        id: "id";
                        json: "json";
                        list: "list";
                        money: "money";
                        number: "number";
                        path: "path";
                        secret: "secret";
                        sql: "sql";
                        text: "text";
                        url: "url";
                    }>;
                    currency: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
                        path: z.ZodString;
                    }, z.core.$strip>]>>;
                    unit: z.ZodExactOptional<z.ZodEnum<{
                        major: "major";
                        minor: "minor";
                    }>>;
                }, z.core.$strip>>;
                environment: z.ZodExactOptional<z.ZodString>;
                affected: z.ZodExactOptional<z.ZodString>;
                guessed: z.ZodExactOptional<z.ZodLiteral<true>>;
            }, z.core.$strip>>;
            hidden: z.ZodNumber;
            createdAt: z.ZodISODateTime;
            expiresAt: z.ZodExactOptional<z.ZodISODateTime>;
            escalated: z.ZodExactOptional<z.ZodBoolean>;
            problems: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            decided: z.ZodExactOptional<z.ZodObject<{
                decision: z.ZodDiscriminatedUnion<[z.ZodObject<{
                    type: z.ZodLiteral<"approve">;
                }, z.core.$strict>, z.ZodObject<{
                    type: z.ZodLiteral<"edit">;
                    args: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
                    toolName: z.ZodExactOptional<z.ZodString>;
                    message: z.ZodExactOptional<z.ZodString>;
                }, z.core.$strict>, z.ZodObject<{
                    type: z.ZodLiteral<"reject">;
                    message: z.ZodExactOptional<z.ZodString>;
                }, z.core.$strict>, z.ZodObject<{
                    type: z.ZodLiteral<"respond">;
                    message: z.ZodString;
                }, z.core.$strict>], "type">;
                by: z.ZodObject<{
                    kind: z.ZodEnum<{
                        grant: "grant";
                        person: "person";
                        policy: "policy";
                        system: "system";
                        time: "time";
                    }>;
                    id: z.ZodString;
                    via: z.ZodExactOptional<z.ZodString>;
                    groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
                }, z.core.$strip>;
                at: z.ZodISODateTime;
                effectiveAt: z.ZodISODateTime;
                comment: z.ZodExactOptional<z.ZodString>;
            }, z.core.$strip>>;
            answered: z.ZodExactOptional<z.ZodObject<{
                value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
                by: z.ZodObject<{
                    kind: z.ZodEnum<{
                        grant: "grant";
                        person: "person";
                        policy: "policy";
                        system: "system";
                        time: "time";
                    }>;
                    id: z.ZodString;
                    via: z.ZodExactOptional<z.ZodString>;
                    groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
                }, z.core.$strip>;
                at: z.ZodISODateTime;
                comment: z.ZodExactOptional<z.ZodString>;
            }, z.core.$strip>>;
            closed: z.ZodExactOptional<z.ZodObject<{
                by: z.ZodObject<{
                    kind: z.ZodEnum<{
                        grant: "grant";
                        person: "person";
                        policy: "policy";
                        system: "system";
                        time: "time";
                    }>;
                    id: z.ZodString;
                    via: z.ZodExactOptional<z.ZodString>;
                    groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
                }, z.core.$strip>;
                at: z.ZodISODateTime;
                reason: z.ZodExactOptional<z.ZodString>;
            }, z.core.$strip>>;
            assigned: z.ZodExactOptional<z.ZodObject<{
                id: z.ZodString;
                until: z.ZodExactOptional<z.ZodISODateTime>;
            }, z.core.$strip>>;
            comments: z.ZodNumber;
            mayDecide: z.ZodBoolean;
        }, z.core.$strip>;
    }, z.core.$strip>, z.ZodObject<{
        id: z.ZodString;
        ok: z.ZodLiteral<false>;
        code: z.ZodString;
        detail: z.ZodString;
    }, z.core.$strip>]>>;
}, z.core.$strip>;

declare const cancelBody: z.ZodObject<{
    version: z.ZodNumber;
    reason: z.ZodString;
}, z.core.$strict>;

declare const comment: z.ZodObject<{
    at: z.ZodISODateTime;
    by: z.ZodObject<{
        kind: z.ZodEnum<{
            grant: "grant";
            person: "person";
            policy: "policy";
            system: "system";
            time: "time";
        }>;
        id: z.ZodString;
        via: z.ZodExactOptional<z.ZodString>;
        groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    }, z.core.$strip>;
    text: z.ZodString;
}, z.core.$strip>;

declare const counts: z.ZodObject<{
    open: z.ZodObject<{
        count: z.ZodNumber;
        more: z.ZodBoolean;
    }, z.core.$strip>;
    mine: z.ZodObject<{
        count: z.ZodNumber;
        more: z.ZodBoolean;
    }, z.core.$strip>;
    high: z.ZodObject<{
        count: z.ZodNumber;
        more: z.ZodBoolean;
    }, z.core.$strip>;
}, z.core.$strip>;

declare const decideBody: z.ZodObject<{
    version: z.ZodNumber;
    digest: z.ZodExactOptional<z.ZodString>;
    shown: z.ZodExactOptional<z.ZodString>;
    comment: z.ZodExactOptional<z.ZodString>;
    decision: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
    always: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodBoolean, z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>]>>;
    undoSeconds: z.ZodExactOptional<z.ZodNumber>;
}, z.core.$strict>;

declare const delivery: () => z.ZodObject<{
    id: z.ZodString;
    webhook: z.ZodString;
    event: z.ZodString;
    request: z.ZodString;
    version: z.ZodNumber;
    status: z.ZodEnum<{
        delivered: "delivered";
        failed: "failed";
        waiting: "waiting";
    }>;
    attempts: z.ZodNumber;
    lastError: z.ZodExactOptional<z.ZodString>;
    nextAt: z.ZodExactOptional<z.ZodISODateTime>;
    createdAt: z.ZodISODateTime;
}, z.core.$strip>;

declare const display: () => z.ZodObject<{
    title: z.ZodArray<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
        path: z.ZodString;
    }, z.core.$strip>]>>;
    fields: z.ZodArray<z.ZodObject<{
        path: z.ZodString;
        label: z.ZodExactOptional<z.ZodString>;
        format: z.ZodEnum<{
            code: "code";
            date: "date";
            email: "email";
            enum: "enum";
            flag: "flag";
            id: "id";
            json: "json";
            list: "list";
            money: "money";
            number: "number";
            path: "path";
            secret: "secret";
            sql: "sql";
            text: "text";
            url: "url";
        }>;
        currency: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
            path: z.ZodString;
        }, z.core.$strip>]>>;
        unit: z.ZodExactOptional<z.ZodEnum<{
            major: "major";
            minor: "minor";
        }>>;
    }, z.core.$strip>>;
    environment: z.ZodExactOptional<z.ZodString>;
    affected: z.ZodExactOptional<z.ZodString>;
    guessed: z.ZodExactOptional<z.ZodLiteral<true>>;
}, z.core.$strip>;

declare const displayField: () => z.ZodObject<{
    path: z.ZodString;
    label: z.ZodExactOptional<z.ZodString>;
    format: z.ZodEnum<{
        code: "code";
        date: "date";
        email: "email";
        enum: "enum";
        flag: "flag";
        id: "id";
        json: "json";
        list: "list";
        money: "money";
        number: "number";
        path: "path";
        secret: "secret";
        sql: "sql";
        text: "text";
        url: "url";
    }>;
    currency: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
        path: z.ZodString;
    }, z.core.$strip>]>>;
    unit: z.ZodExactOptional<z.ZodEnum<{
        major: "major";
        minor: "minor";
    }>>;
}, z.core.$strip>;

declare const figures: z.ZodObject<{
    days: z.ZodNumber;
    counted: z.ZodNumber;
    more: z.ZodBoolean;
    timeToDecide: z.ZodObject<{
        p50: z.ZodNullable<z.ZodNumber>;
        p95: z.ZodNullable<z.ZodNumber>;
    }, z.core.$strip>;
    queueAge: z.ZodObject<{
        open: z.ZodNumber;
        p50: z.ZodNullable<z.ZodNumber>;
        oldest: z.ZodNullable<z.ZodNumber>;
    }, z.core.$strip>;
    byTool: z.ZodArray<z.ZodObject<{
        tool: z.ZodString;
        approved: z.ZodNumber;
        edited: z.ZodNumber;
        rejected: z.ZodNumber;
        responded: z.ZodNumber;
        expired: z.ZodNumber;
        p50: z.ZodNullable<z.ZodNumber>;
    }, z.core.$strip>>;
    byReviewer: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        decided: z.ZodNumber;
        p50: z.ZodNullable<z.ZodNumber>;
    }, z.core.$strip>>;
    byHour: z.ZodArray<z.ZodObject<{
        at: z.ZodISODateTime;
        opened: z.ZodNumber;
        decided: z.ZodNumber;
        expired: z.ZodNumber;
    }, z.core.$strip>>;
}, z.core.$strip>;

declare const grantItem: z.ZodObject<{
    id: z.ZodString;
    status: z.ZodEnum<{
        active: "active";
        expired: "expired";
        revoked: "revoked";
        used_up: "used_up";
    }>;
    threadId: z.ZodString;
    scope: z.ZodString;
    inConversation: z.ZodExactOptional<z.ZodLiteral<true>>;
    agent: z.ZodString;
    tool: z.ZodString;
    decision: z.ZodEnum<{
        approve: "approve";
        reject: "reject";
    }>;
    request: z.ZodString;
    args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    uses: z.ZodNullable<z.ZodNumber>;
    used: z.ZodNumber;
    cap: z.ZodNullable<z.ZodNumber>;
    spent: z.ZodNumber;
    money: z.ZodExactOptional<z.ZodObject<{
        currency: z.ZodString;
        unit: z.ZodEnum<{
            major: "major";
            minor: "minor";
        }>;
    }, z.core.$strip>>;
    expiresAt: z.ZodExactOptional<z.ZodISODateTime>;
    createdAt: z.ZodISODateTime;
    by: z.ZodObject<{
        kind: z.ZodEnum<{
            grant: "grant";
            person: "person";
            policy: "policy";
            system: "system";
            time: "time";
        }>;
        id: z.ZodString;
        via: z.ZodExactOptional<z.ZodString>;
        groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    }, z.core.$strip>;
    revoked: z.ZodExactOptional<z.ZodObject<{
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        at: z.ZodISODateTime;
        reason: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
}, z.core.$strip>;

declare const grantPage: z.ZodObject<{
    grants: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        status: z.ZodEnum<{
            active: "active";
            expired: "expired";
            revoked: "revoked";
            used_up: "used_up";
        }>;
        threadId: z.ZodString;
        scope: z.ZodString;
        inConversation: z.ZodExactOptional<z.ZodLiteral<true>>;
        agent: z.ZodString;
        tool: z.ZodString;
        decision: z.ZodEnum<{
            approve: "approve";
            reject: "reject";
        }>;
        request: z.ZodString;
        args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        uses: z.ZodNullable<z.ZodNumber>;
        used: z.ZodNumber;
        cap: z.ZodNullable<z.ZodNumber>;
        spent: z.ZodNumber;
        money: z.ZodExactOptional<z.ZodObject<{
            currency: z.ZodString;
            unit: z.ZodEnum<{
                major: "major";
                minor: "minor";
            }>;
        }, z.core.$strip>>;
        expiresAt: z.ZodExactOptional<z.ZodISODateTime>;
        createdAt: z.ZodISODateTime;
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        revoked: z.ZodExactOptional<z.ZodObject<{
            by: z.ZodObject<{
                kind: z.ZodEnum<{
                    grant: "grant";
                    person: "person";
                    policy: "policy";
                    system: "system";
                    time: "time";
                }>;
                id: z.ZodString;
                via: z.ZodExactOptional<z.ZodString>;
                groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strip>;
            at: z.ZodISODateTime;
            reason: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    next: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>;

declare const journalPage: z.ZodObject<{
    entries: z.ZodArray<z.ZodObject<{
        seq: z.ZodNumber;
        at: z.ZodISODateTime;
        hash: z.ZodString;
        entry: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
    }, z.core.$strip>>;
    next: z.ZodExactOptional<z.ZodNumber>;
}, z.core.$strip>;

declare const liveEvent: z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"request">;
    what: z.ZodEnum<{
        aborted: "aborted";
        assigned: "assigned";
        cancelled: "cancelled";
        commented: "commented";
        decided: "decided";
        escalated: "escalated";
        expired: "expired";
        opened: "opened";
        reopened: "reopened";
        superseded: "superseded";
    }>;
    id: z.ZodString;
    version: z.ZodNumber;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"grant">;
    what: z.ZodEnum<{
        created: "created";
        revoked: "revoked";
    }>;
    id: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"reset">;
}, z.core.$strip>], "type">;

declare const me: z.ZodObject<{
    id: z.ZodString;
    tenant: z.ZodString;
    roles: z.ZodArray<z.ZodString>;
    groups: z.ZodArray<z.ZodString>;
    expiresAt: z.ZodExactOptional<z.ZodString>;
    undoSeconds: z.ZodNumber;
    previews: z.ZodBoolean;
    now: z.ZodString;
}, z.core.$strip>;

declare const previewResult: () => z.ZodObject<{
    digest: z.ZodExactOptional<z.ZodString>;
    preview: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    problems: z.ZodArray<z.ZodString>;
}, z.core.$strip>;

declare const requestDetail: z.ZodObject<{
    request: z.ZodObject<{
        allowedDecisions: z.ZodArray<z.ZodEnum<{
            approve: "approve";
            edit: "edit";
            reject: "reject";
            respond: "respond";
        }>>;
        description: z.ZodExactOptional<z.ZodString>;
        risk: z.ZodExactOptional<z.ZodEnum<{
            high: "high";
            low: "low";
            medium: "medium";
        }>>;
        reviewers: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        reviewerLists: z.ZodExactOptional<z.ZodArray<z.ZodArray<z.ZodString>>>;
        via: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        argsSchema: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        decisionValidSeconds: z.ZodExactOptional<z.ZodNumber>;
        id: z.ZodString;
        questionId: z.ZodString;
        kind: z.ZodEnum<{
            approve: "approve";
            ask: "ask";
            confirm: "confirm";
        }>;
        agent: z.ZodString;
        path: z.ZodArray<z.ZodString>;
        host: z.ZodExactOptional<z.ZodObject<{
            source: z.ZodString;
            conversation: z.ZodString;
            callId: z.ZodExactOptional<z.ZodString>;
            principal: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
        toolName: z.ZodExactOptional<z.ZodString>;
        toolCallId: z.ZodExactOptional<z.ZodString>;
        args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        argsInput: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        digest: z.ZodExactOptional<z.ZodString>;
        shown: z.ZodExactOptional<z.ZodString>;
        preview: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        preconditions: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        prompt: z.ZodExactOptional<z.ZodString>;
        details: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        questions: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
            key: z.ZodString;
            prompt: z.ZodString;
            options: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
                label: z.ZodString;
                value: z.ZodString;
                description: z.ZodExactOptional<z.ZodString>;
                allowInput: z.ZodExactOptional<z.ZodBoolean>;
            }, z.core.$strip>>>;
            multiSelect: z.ZodExactOptional<z.ZodBoolean>;
            required: z.ZodExactOptional<z.ZodBoolean>;
        }, z.core.$strip>>>;
        reason: z.ZodExactOptional<z.ZodString>;
        supersedes: z.ZodExactOptional<z.ZodString>;
        assignee: z.ZodExactOptional<z.ZodString>;
        onTimeout: z.ZodExactOptional<z.ZodEnum<{
            allow: "allow";
            escalate: "escalate";
            keep: "keep";
            reject: "reject";
        }>>;
        threadId: z.ZodString;
        tenant: z.ZodString;
        status: z.ZodEnum<{
            aborted: "aborted";
            cancelled: "cancelled";
            decided: "decided";
            expired: "expired";
            open: "open";
            superseded: "superseded";
        }>;
        version: z.ZodNumber;
        title: z.ZodString;
        display: z.ZodExactOptional<z.ZodObject<{
            title: z.ZodArray<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
                path: z.ZodString;
            }, z.core.$strip>]>>;
            fields: z.ZodArray<z.ZodObject<{
                path: z.ZodString;
                label: z.ZodExactOptional<z.ZodString>;
                format: z.ZodEnum<{
                    code: "code";
                    date: "date";
                    email: "email";
                    enum: "enum";
                    flag: "flag";
                    id: "id";
                    json: "json";
                    list: "list";
                    money: "money";
                    number: "number";
                    path: "path";
                    secret: "secret";
                    sql: "sql";
                    text: "text";
                    url: "url";
                }>;
                currency: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
                    path: z.ZodString;
                }, z.core.$strip>]>>;
                unit: z.ZodExactOptional<z.ZodEnum<{
                    major: "major";
                    minor: "minor";
                }>>;
            }, z.core.$strip>>;
            environment: z.ZodExactOptional<z.ZodString>;
            affected: z.ZodExactOptional<z.ZodString>;
            guessed: z.ZodExactOptional<z.ZodLiteral<true>>;
        }, z.core.$strip>>;
        hidden: z.ZodNumber;
        createdAt: z.ZodISODateTime;
        expiresAt: z.ZodExactOptional<z.ZodISODateTime>;
        escalated: z.ZodExactOptional<z.ZodBoolean>;
        problems: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        decided: z.ZodExactOptional<z.ZodObject<{
            decision: z.ZodDiscriminatedUnion<[z.ZodObject<{
                type: z.ZodLiteral<"approve">;
            }, z.core.$strict>, z.ZodObject<{
                type: z.ZodLiteral<"edit">;
                args: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
                toolName: z.ZodExactOptional<z.ZodString>;
                message: z.ZodExactOptional<z.ZodString>;
            }, z.core.$strict>, z.ZodObject<{
                type: z.ZodLiteral<"reject">;
                message: z.ZodExactOptional<z.ZodString>;
            }, z.core.$strict>, z.ZodObject<{
                type: z.ZodLiteral<"respond">;
                message: z.ZodString;
            }, z.core.$strict>], "type">;
            by: z.ZodObject<{
                kind: z.ZodEnum<{
                    grant: "grant";
                    person: "person";
                    policy: "policy";
                    system: "system";
                    time: "time";
                }>;
                id: z.ZodString;
                via: z.ZodExactOptional<z.ZodString>;
                groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strip>;
            at: z.ZodISODateTime;
            effectiveAt: z.ZodISODateTime;
            comment: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
        answered: z.ZodExactOptional<z.ZodObject<{
            value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
            by: z.ZodObject<{
                kind: z.ZodEnum<{
                    grant: "grant";
                    person: "person";
                    policy: "policy";
                    system: "system";
                    time: "time";
                }>;
                id: z.ZodString;
                via: z.ZodExactOptional<z.ZodString>;
                groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strip>;
            at: z.ZodISODateTime;
            comment: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
        closed: z.ZodExactOptional<z.ZodObject<{
            by: z.ZodObject<{
                kind: z.ZodEnum<{
                    grant: "grant";
                    person: "person";
                    policy: "policy";
                    system: "system";
                    time: "time";
                }>;
                id: z.ZodString;
                via: z.ZodExactOptional<z.ZodString>;
                groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strip>;
            at: z.ZodISODateTime;
            reason: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
        assigned: z.ZodExactOptional<z.ZodObject<{
            id: z.ZodString;
            until: z.ZodExactOptional<z.ZodISODateTime>;
        }, z.core.$strip>>;
        comments: z.ZodNumber;
        mayDecide: z.ZodBoolean;
    }, z.core.$strip>;
    argsSchema: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    cause: z.ZodExactOptional<z.ZodObject<{
        at: z.ZodISODateTime;
        text: z.ZodString;
        by: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
    modelText: z.ZodExactOptional<z.ZodString>;
    policies: z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        version: z.ZodString;
        verdict: z.ZodEnum<{
            allow: "allow";
            deny: "deny";
            failed: "failed";
            review: "review";
        }>;
        problem: z.ZodExactOptional<z.ZodString>;
        shadow: z.ZodExactOptional<z.ZodLiteral<true>>;
    }, z.core.$strip>>;
    resumable: z.ZodExactOptional<z.ZodObject<{
        live: z.ZodBoolean;
        agent: z.ZodString;
        version: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    changes: z.ZodArray<z.ZodObject<{
        path: z.ZodString;
        from: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        to: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    }, z.core.$strip>>;
    offers: z.ZodArray<z.ZodObject<{
        scope: z.ZodEnum<{
            agent: "agent";
            run: "run";
            tenant: "tenant";
            thread: "thread";
        }>;
    }, z.core.$strip>>;
    similar: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        title: z.ZodString;
        outcome: z.ZodEnum<{
            approve: "approve";
            edit: "edit";
            expired: "expired";
            reject: "reject";
            respond: "respond";
        }>;
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        at: z.ZodISODateTime;
    }, z.core.$strip>>;
    grants: z.ZodNumber;
    story: z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
        kind: z.ZodLiteral<"person">;
        at: z.ZodISODateTime;
        text: z.ZodString;
        by: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"model">;
        at: z.ZodISODateTime;
        agent: z.ZodString;
        text: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"tool">;
        at: z.ZodISODateTime;
        tool: z.ZodString;
        state: z.ZodEnum<{
            failed: "failed";
            finished: "finished";
            refused: "refused";
            started: "started";
            unknown: "unknown";
        }>;
        text: z.ZodExactOptional<z.ZodString>;
        ms: z.ZodExactOptional<z.ZodNumber>;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"policy">;
        at: z.ZodISODateTime;
        tool: z.ZodString;
        policies: z.ZodArray<z.ZodObject<{
            name: z.ZodString;
            version: z.ZodString;
            verdict: z.ZodEnum<{
                allow: "allow";
                deny: "deny";
                failed: "failed";
                review: "review";
            }>;
            problem: z.ZodExactOptional<z.ZodString>;
            shadow: z.ZodExactOptional<z.ZodLiteral<true>>;
        }, z.core.$strip>>;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"request">;
        at: z.ZodISODateTime;
        id: z.ZodString;
        title: z.ZodString;
        status: z.ZodEnum<{
            aborted: "aborted";
            cancelled: "cancelled";
            decided: "decided";
            expired: "expired";
            open: "open";
            superseded: "superseded";
        }>;
        by: z.ZodExactOptional<z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>>;
        here: z.ZodExactOptional<z.ZodLiteral<true>>;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"moved">;
        at: z.ZodISODateTime;
        agent: z.ZodString;
        version: z.ZodExactOptional<z.ZodString>;
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        reason: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"end">;
        at: z.ZodISODateTime;
        status: z.ZodString;
        by: z.ZodExactOptional<z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>>;
        reason: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>], "kind">>;
    earlier: z.ZodExactOptional<z.ZodNumber>;
    before: z.ZodExactOptional<z.ZodString>;
    comments: z.ZodArray<z.ZodObject<{
        at: z.ZodISODateTime;
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        text: z.ZodString;
    }, z.core.$strip>>;
}, z.core.$strip>;

declare const requestEvents: readonly ['opened', 'decided', 'reopened', 'escalated', 'expired', 'cancelled', 'aborted', 'superseded', 'assigned', 'commented'];

declare const requestFilter: z.ZodObject<{
    status: z.ZodDefault<z.ZodEnum<{
        aborted: "aborted";
        all: "all";
        cancelled: "cancelled";
        closed: "closed";
        decided: "decided";
        expired: "expired";
        open: "open";
        superseded: "superseded";
    }>>;
    tenant: z.ZodExactOptional<z.ZodString>;
    assignee: z.ZodExactOptional<z.ZodString>;
    mine: z.ZodExactOptional<z.ZodCodec<z.ZodString, z.ZodBoolean>>;
    agent: z.ZodExactOptional<z.ZodString>;
    tool: z.ZodExactOptional<z.ZodString>;
    risk: z.ZodExactOptional<z.ZodEnum<{
        high: "high";
        low: "low";
        medium: "medium";
    }>>;
    kind: z.ZodExactOptional<z.ZodEnum<{
        approve: "approve";
        ask: "ask";
        confirm: "confirm";
    }>>;
    thread: z.ZodExactOptional<z.ZodString>;
    before: z.ZodExactOptional<z.ZodISODateTime>;
    after: z.ZodExactOptional<z.ZodISODateTime>;
    text: z.ZodExactOptional<z.ZodString>;
}, z.core.$strict>;

declare const requestItem: z.ZodObject<{
    allowedDecisions: z.ZodArray<z.ZodEnum<{
        approve: "approve";
        edit: "edit";
        reject: "reject";
        respond: "respond";
    }>>;
    description: z.ZodExactOptional<z.ZodString>;
    risk: z.ZodExactOptional<z.ZodEnum<{
        high: "high";
        low: "low";
        medium: "medium";
    }>>;
    reviewers: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    reviewerLists: z.ZodExactOptional<z.ZodArray<z.ZodArray<z.ZodString>>>;
    via: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    argsSchema: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    decisionValidSeconds: z.ZodExactOptional<z.ZodNumber>;
    id: z.ZodString;
    questionId: z.ZodString;
    kind: z.ZodEnum<{
        approve: "approve";
        ask: "ask";
        confirm: "confirm";
    }>;
    agent: z.ZodString;
    path: z.ZodArray<z.ZodString>;
    host: z.ZodExactOptional<z.ZodObject<{
        source: z.ZodString;
        conversation: z.ZodString;
        callId: z.ZodExactOptional<z.ZodString>;
        principal: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
    toolName: z.ZodExactOptional<z.ZodString>;
    toolCallId: z.ZodExactOptional<z.ZodString>;
    args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    argsInput: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    digest: z.ZodExactOptional<z.ZodString>;
    shown: z.ZodExactOptional<z.ZodString>;
    preview: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    preconditions: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    prompt: z.ZodExactOptional<z.ZodString>;
    details: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    questions: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
        key: z.ZodString;
        prompt: z.ZodString;
        options: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
            label: z.ZodString;
            value: z.ZodString;
            description: z.ZodExactOptional<z.ZodString>;
            allowInput: z.ZodExactOptional<z.ZodBoolean>;
        }, z.core.$strip>>>;
        multiSelect: z.ZodExactOptional<z.ZodBoolean>;
        required: z.ZodExactOptional<z.ZodBoolean>;
    }, z.core.$strip>>>;
    reason: z.ZodExactOptional<z.ZodString>;
    supersedes: z.ZodExactOptional<z.ZodString>;
    assignee: z.ZodExactOptional<z.ZodString>;
    onTimeout: z.ZodExactOptional<z.ZodEnum<{
        allow: "allow";
        escalate: "escalate";
        keep: "keep";
        reject: "reject";
    }>>;
    threadId: z.ZodString;
    tenant: z.ZodString;
    status: z.ZodEnum<{
        aborted: "aborted";
        cancelled: "cancelled";
        decided: "decided";
        expired: "expired";
        open: "open";
        superseded: "superseded";
    }>;
    version: z.ZodNumber;
    title: z.ZodString;
    display: z.ZodExactOptional<z.ZodObject<{
        title: z.ZodArray<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
            path: z.ZodString;
        }, z.core.$strip>]>>;
        fields: z.ZodArray<z.ZodObject<{
            path: z.ZodString;
            label: z.ZodExactOptional<z.ZodString>;
            format: z.ZodEnum<{
                code: "code";
                date: "date";
                email: "email";
                enum: "enum";
                flag: "flag";
                id: "id";
                json: "json";
                list: "list";
                money: "money";
                number: "number";
                path: "path";
                secret: "secret";
                sql: "sql";
                text: "text";
                url: "url";
            }>;
            currency: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
                path: z.ZodString;
            }, z.core.$strip>]>>;
            unit: z.ZodExactOptional<z.ZodEnum<{
                major: "major";
                minor: "minor";
            }>>;
        }, z.core.$strip>>;
        environment: z.ZodExactOptional<z.ZodString>;
        affected: z.ZodExactOptional<z.ZodString>;
        guessed: z.ZodExactOptional<z.ZodLiteral<true>>;
    }, z.core.$strip>>;
    hidden: z.ZodNumber;
    createdAt: z.ZodISODateTime;
    expiresAt: z.ZodExactOptional<z.ZodISODateTime>;
    escalated: z.ZodExactOptional<z.ZodBoolean>;
    problems: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    decided: z.ZodExactOptional<z.ZodObject<{
        decision: z.ZodDiscriminatedUnion<[z.ZodObject<{
            type: z.ZodLiteral<"approve">;
        }, z.core.$strict>, z.ZodObject<{
            type: z.ZodLiteral<"edit">;
            args: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
            toolName: z.ZodExactOptional<z.ZodString>;
            message: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strict>, z.ZodObject<{
            type: z.ZodLiteral<"reject">;
            message: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strict>, z.ZodObject<{
            type: z.ZodLiteral<"respond">;
            message: z.ZodString;
        }, z.core.$strict>], "type">;
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        at: z.ZodISODateTime;
        effectiveAt: z.ZodISODateTime;
        comment: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
    answered: z.ZodExactOptional<z.ZodObject<{
        value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        at: z.ZodISODateTime;
        comment: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
    closed: z.ZodExactOptional<z.ZodObject<{
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        at: z.ZodISODateTime;
        reason: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
    assigned: z.ZodExactOptional<z.ZodObject<{
        id: z.ZodString;
        until: z.ZodExactOptional<z.ZodISODateTime>;
    }, z.core.$strip>>;
    comments: z.ZodNumber;
    mayDecide: z.ZodBoolean;
}, z.core.$strip>;

declare const requestPage: z.ZodObject<{
    requests: z.ZodArray<z.ZodObject<{
        allowedDecisions: z.ZodArray<z.ZodEnum<{
            approve: "approve";
            edit: "edit";
            reject: "reject";
            respond: "respond";
        }>>;
        description: z.ZodExactOptional<z.ZodString>;
        risk: z.ZodExactOptional<z.ZodEnum<{
            high: "high";
            low: "low";
            medium: "medium";
        }>>;
        reviewers: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        reviewerLists: z.ZodExactOptional<z.ZodArray<z.ZodArray<z.ZodString>>>;
        via: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        argsSchema: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        decisionValidSeconds: z.ZodExactOptional<z.ZodNumber>;
        id: z.ZodString;
        questionId: z.ZodString;
        kind: z.ZodEnum<{
            approve: "approve";
            ask: "ask";
            confirm: "confirm";
        }>;
        agent: z.ZodString;
        path: z.ZodArray<z.ZodString>;
        host: z.ZodExactOptional<z.ZodObject<{
            source: z.ZodString;
            conversation: z.ZodString;
            callId: z.ZodExactOptional<z.ZodString>;
            principal: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
        toolName: z.ZodExactOptional<z.ZodString>;
        toolCallId: z.ZodExactOptional<z.ZodString>;
        args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        argsInput: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        digest: z.ZodExactOptional<z.ZodString>;
        shown: z.ZodExactOptional<z.ZodString>;
        preview: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        preconditions: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        prompt: z.ZodExactOptional<z.ZodString>;
        details: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        questions: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
            key: z.ZodString;
            prompt: z.ZodString;
            options: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
                label: z.ZodString;
                value: z.ZodString;
                description: z.ZodExactOptional<z.ZodString>;
                allowInput: z.ZodExactOptional<z.ZodBoolean>;
            }, z.core.$strip>>>;
            multiSelect: z.ZodExactOptional<z.ZodBoolean>;
            required: z.ZodExactOptional<z.ZodBoolean>;
        }, z.core.$strip>>>;
        reason: z.ZodExactOptional<z.ZodString>;
        supersedes: z.ZodExactOptional<z.ZodString>;
        assignee: z.ZodExactOptional<z.ZodString>;
        onTimeout: z.ZodExactOptional<z.ZodEnum<{
            allow: "allow";
            escalate: "escalate";
            keep: "keep";
            reject: "reject";
        }>>;
        threadId: z.ZodString;
        tenant: z.ZodString;
        status: z.ZodEnum<{
            aborted: "aborted";
            cancelled: "cancelled";
            decided: "decided";
            expired: "expired";
            open: "open";
            superseded: "superseded";
        }>;
        version: z.ZodNumber;
        title: z.ZodString;
        display: z.ZodExactOptional<z.ZodObject<{
            title: z.ZodArray<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
                path: z.ZodString;
            }, z.core.$strip>]>>;
            fields: z.ZodArray<z.ZodObject<{
                path: z.ZodString;
                label: z.ZodExactOptional<z.ZodString>;
                format: z.ZodEnum<{
                    code: "code";
                    date: "date";
                    email: "email";
                    enum: "enum";
                    flag: "flag";
                    id: "id";
                    json: "json";
                    list: "list";
                    money: "money";
                    number: "number";
                    path: "path";
                    secret: "secret";
                    sql: "sql";
                    text: "text";
                    url: "url";
                }>;
                currency: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
                    path: z.ZodString;
                }, z.core.$strip>]>>;
                unit: z.ZodExactOptional<z.ZodEnum<{
                    major: "major";
                    minor: "minor";
                }>>;
            }, z.core.$strip>>;
            environment: z.ZodExactOptional<z.ZodString>;
            affected: z.ZodExactOptional<z.ZodString>;
            guessed: z.ZodExactOptional<z.ZodLiteral<true>>;
        }, z.core.$strip>>;
        hidden: z.ZodNumber;
        createdAt: z.ZodISODateTime;
        expiresAt: z.ZodExactOptional<z.ZodISODateTime>;
        escalated: z.ZodExactOptional<z.ZodBoolean>;
        problems: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        decided: z.ZodExactOptional<z.ZodObject<{
            decision: z.ZodDiscriminatedUnion<[z.ZodObject<{
                type: z.ZodLiteral<"approve">;
            }, z.core.$strict>, z.ZodObject<{
                type: z.ZodLiteral<"edit">;
                args: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
                toolName: z.ZodExactOptional<z.ZodString>;
                message: z.ZodExactOptional<z.ZodString>;
            }, z.core.$strict>, z.ZodObject<{
                type: z.ZodLiteral<"reject">;
                message: z.ZodExactOptional<z.ZodString>;
            }, z.core.$strict>, z.ZodObject<{
                type: z.ZodLiteral<"respond">;
                message: z.ZodString;
            }, z.core.$strict>], "type">;
            by: z.ZodObject<{
                kind: z.ZodEnum<{
                    grant: "grant";
                    person: "person";
                    policy: "policy";
                    system: "system";
                    time: "time";
                }>;
                id: z.ZodString;
                via: z.ZodExactOptional<z.ZodString>;
                groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strip>;
            at: z.ZodISODateTime;
            effectiveAt: z.ZodISODateTime;
            comment: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
        answered: z.ZodExactOptional<z.ZodObject<{
            value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
            by: z.ZodObject<{
                kind: z.ZodEnum<{
                    grant: "grant";
                    person: "person";
                    policy: "policy";
                    system: "system";
                    time: "time";
                }>;
                id: z.ZodString;
                via: z.ZodExactOptional<z.ZodString>;
                groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strip>;
            at: z.ZodISODateTime;
            comment: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
        closed: z.ZodExactOptional<z.ZodObject<{
            by: z.ZodObject<{
                kind: z.ZodEnum<{
                    grant: "grant";
                    person: "person";
                    policy: "policy";
                    system: "system";
                    time: "time";
                }>;
                id: z.ZodString;
                via: z.ZodExactOptional<z.ZodString>;
                groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strip>;
            at: z.ZodISODateTime;
            reason: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>>;
        assigned: z.ZodExactOptional<z.ZodObject<{
            id: z.ZodString;
            until: z.ZodExactOptional<z.ZodISODateTime>;
        }, z.core.$strip>>;
        comments: z.ZodNumber;
        mayDecide: z.ZodBoolean;
    }, z.core.$strip>>;
    next: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>;

declare const retryBody: z.ZodUnion<readonly [z.ZodObject<{}, z.core.$strict>, z.ZodObject<{
    version: z.ZodNullable<z.ZodString>;
    reason: z.ZodString;
}, z.core.$strict>]>;

declare const roles: readonly ['reviewer', 'operator', 'admin', 'auditor', 'agent'];

declare const sessionPage: z.ZodObject<{
    sessions: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        person: z.ZodString;
        roles: z.ZodArray<z.ZodString>;
        createdAt: z.ZodString;
        expiresAt: z.ZodString;
        current: z.ZodBoolean;
    }, z.core.$strip>>;
    next: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>;

declare const signIn: z.ZodUnion<readonly [z.ZodObject<{
    code: z.ZodString;
}, z.core.$strict>, z.ZodObject<{
    token: z.ZodString;
}, z.core.$strict>]>;

declare const signedIn: z.ZodObject<{
    id: z.ZodString;
    person: z.ZodString;
    roles: z.ZodArray<z.ZodString>;
    createdAt: z.ZodString;
    expiresAt: z.ZodString;
    current: z.ZodBoolean;
}, z.core.$strip>;

declare const storyItem: z.ZodDiscriminatedUnion<[z.ZodObject<{
    kind: z.ZodLiteral<"person">;
    at: z.ZodISODateTime;
    text: z.ZodString;
    by: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>, z.ZodObject<{
    kind: z.ZodLiteral<"model">;
    at: z.ZodISODateTime;
    agent: z.ZodString;
    text: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    kind: z.ZodLiteral<"tool">;
    at: z.ZodISODateTime;
    tool: z.ZodString;
    state: z.ZodEnum<{
        failed: "failed";
        finished: "finished";
        refused: "refused";
        started: "started";
        unknown: "unknown";
    }>;
    text: z.ZodExactOptional<z.ZodString>;
    ms: z.ZodExactOptional<z.ZodNumber>;
}, z.core.$strip>, z.ZodObject<{
    kind: z.ZodLiteral<"policy">;
    at: z.ZodISODateTime;
    tool: z.ZodString;
    policies: z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        version: z.ZodString;
        verdict: z.ZodEnum<{
            allow: "allow";
            deny: "deny";
            failed: "failed";
            review: "review";
        }>;
        problem: z.ZodExactOptional<z.ZodString>;
        shadow: z.ZodExactOptional<z.ZodLiteral<true>>;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    kind: z.ZodLiteral<"request">;
    at: z.ZodISODateTime;
    id: z.ZodString;
    title: z.ZodString;
    status: z.ZodEnum<{
        aborted: "aborted";
        cancelled: "cancelled";
        decided: "decided";
        expired: "expired";
        open: "open";
        superseded: "superseded";
    }>;
    by: z.ZodExactOptional<z.ZodObject<{
        kind: z.ZodEnum<{
            grant: "grant";
            person: "person";
            policy: "policy";
            system: "system";
            time: "time";
        }>;
        id: z.ZodString;
        via: z.ZodExactOptional<z.ZodString>;
        groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    }, z.core.$strip>>;
    here: z.ZodExactOptional<z.ZodLiteral<true>>;
}, z.core.$strip>, z.ZodObject<{
    kind: z.ZodLiteral<"moved">;
    at: z.ZodISODateTime;
    agent: z.ZodString;
    version: z.ZodExactOptional<z.ZodString>;
    by: z.ZodObject<{
        kind: z.ZodEnum<{
            grant: "grant";
            person: "person";
            policy: "policy";
            system: "system";
            time: "time";
        }>;
        id: z.ZodString;
        via: z.ZodExactOptional<z.ZodString>;
        groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    }, z.core.$strip>;
    reason: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    kind: z.ZodLiteral<"end">;
    at: z.ZodISODateTime;
    status: z.ZodString;
    by: z.ZodExactOptional<z.ZodObject<{
        kind: z.ZodEnum<{
            grant: "grant";
            person: "person";
            policy: "policy";
            system: "system";
            time: "time";
        }>;
        id: z.ZodString;
        via: z.ZodExactOptional<z.ZodString>;
        groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    }, z.core.$strip>>;
    reason: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>], "kind">;

declare const threadDetail: z.ZodObject<{
    id: z.ZodString;
    version: z.ZodExactOptional<z.ZodNumber>;
    story: z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
        kind: z.ZodLiteral<"person">;
        at: z.ZodISODateTime;
        text: z.ZodString;
        by: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"model">;
        at: z.ZodISODateTime;
        agent: z.ZodString;
        text: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"tool">;
        at: z.ZodISODateTime;
        tool: z.ZodString;
        state: z.ZodEnum<{
            failed: "failed";
            finished: "finished";
            refused: "refused";
            started: "started";
            unknown: "unknown";
        }>;
        text: z.ZodExactOptional<z.ZodString>;
        ms: z.ZodExactOptional<z.ZodNumber>;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"policy">;
        at: z.ZodISODateTime;
        tool: z.ZodString;
        policies: z.ZodArray<z.ZodObject<{
            name: z.ZodString;
            version: z.ZodString;
            verdict: z.ZodEnum<{
                allow: "allow";
                deny: "deny";
                failed: "failed";
                review: "review";
            }>;
            problem: z.ZodExactOptional<z.ZodString>;
            shadow: z.ZodExactOptional<z.ZodLiteral<true>>;
        }, z.core.$strip>>;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"request">;
        at: z.ZodISODateTime;
        id: z.ZodString;
        title: z.ZodString;
        status: z.ZodEnum<{
            aborted: "aborted";
            cancelled: "cancelled";
            decided: "decided";
            expired: "expired";
            open: "open";
            superseded: "superseded";
        }>;
        by: z.ZodExactOptional<z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>>;
        here: z.ZodExactOptional<z.ZodLiteral<true>>;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"moved">;
        at: z.ZodISODateTime;
        agent: z.ZodString;
        version: z.ZodExactOptional<z.ZodString>;
        by: z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>;
        reason: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"end">;
        at: z.ZodISODateTime;
        status: z.ZodString;
        by: z.ZodExactOptional<z.ZodObject<{
            kind: z.ZodEnum<{
                grant: "grant";
                person: "person";
                policy: "policy";
                system: "system";
                time: "time";
            }>;
            id: z.ZodString;
            via: z.ZodExactOptional<z.ZodString>;
            groups: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strip>>;
        reason: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>], "kind">>;
    earlier: z.ZodExactOptional<z.ZodNumber>;
    before: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>;

declare const threadPage: z.ZodObject<{
    threads: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        open: z.ZodNumber;
        lastAt: z.ZodISODateTime;
        stuck: z.ZodExactOptional<z.ZodObject<{
            reason: z.ZodEnum<{
                dead: "dead";
                no_worker: "no_worker";
                overdue: "overdue";
            }>;
            agent: z.ZodNullable<z.ZodString>;
            version: z.ZodNullable<z.ZodString>;
            liveVersions: z.ZodArray<z.ZodNullable<z.ZodString>>;
            since: z.ZodISODateTime;
            tries: z.ZodNumber;
            error: z.ZodExactOptional<z.ZodObject<{
                code: z.ZodExactOptional<z.ZodString>;
                message: z.ZodString;
            }, z.core.$strip>>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    next: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>;

declare const titlePart: () => z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
    path: z.ZodString;
}, z.core.$strip>]>;

declare const verification: z.ZodObject<{
    ok: z.ZodBoolean;
    threads: z.ZodNumber;
    entries: z.ZodNumber;
    erased: z.ZodNumber;
    signed: z.ZodBoolean;
    problems: z.ZodArray<z.ZodObject<{
        threadId: z.ZodString;
        problem: z.ZodString;
    }, z.core.$strip>>;
    next: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>;

declare const webhook: () => z.ZodObject<{
    id: z.ZodString;
    url: z.ZodString;
    events: z.ZodArray<z.ZodEnum<{
        "request.closed": "request.closed";
        "request.decided": "request.decided";
        "request.escalated": "request.escalated";
        "request.expired": "request.expired";
        "request.opened": "request.opened";
    }>>;
    enabled: z.ZodBoolean;
    createdAt: z.ZodISODateTime;
    createdBy: z.ZodString;
    secret: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>;

declare const webhookBody: () => z.ZodObject<{
    url: z.ZodURL;
    events: z.ZodExactOptional<z.ZodArray<z.ZodEnum<{
        "request.closed": "request.closed";
        "request.decided": "request.decided";
        "request.escalated": "request.escalated";
        "request.expired": "request.expired";
        "request.opened": "request.opened";
    }>>>;
}, z.core.$strict>;

declare const webhookChange: () => z.ZodObject<{
    enabled: z.ZodBoolean;
}, z.core.$strict>;
