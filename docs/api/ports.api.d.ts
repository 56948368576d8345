// holdpoint/ports: 131 exports. Written by `npm run api`; do not edit.

import type { Answers, Decision, ErrorCode, Question, Risk, ToolCall, ToolResult, Usage } from 'holdpoint'

export type Actor = z.infer<ReturnType<typeof actor>>;

export interface Append {
    threadId: string;
    entries: readonly string[];
    version?: number;
    head?: string;
    lease?: LeaseChange;
    requests?: readonly RequestChange[];
    grants?: readonly GrantChange[];
    records?: readonly RecordChange[];
    wake?: WakeChange;
    run?: {
        agent: string;
        version: string | null;
    };
    notBefore?: number;
    snapshot?: SnapshotWrite;
    erase?: {
        body: string;
        salt: Uint8Array;
    };
    sign?: Uint8Array;
}

export type AppendOutcome = {
    ok: true;
    version: number;
    head: string;
    at: number;
    lease: Lease | null;
} | {
    ok: false;
    conflict: Conflict;
    now: number;
};

export interface ApprovalResponse {
    type: 'mcp_approval_response';
    approvalRequestId: string;
    approve: boolean;
    reason?: string;
}

export interface Asked {
    readonly request: HitlRequest;
    submit(answer: unknown, by: Actor): Promise<void>;
    cancel(reason: string, by: Actor): Promise<void>;
    fail(error: unknown): void;
}

export type AssistantMessage = z.infer<ReturnType<typeof assistantMessage>>;

export interface ChainedEntry extends StoredEntry {
    salt: Uint8Array;
    hash: Uint8Array;
}

export interface Channel {
    readonly durable: boolean;
    readonly allowInsideCustomTool: boolean;
    readonly defaultTimeoutSeconds: number | null;
    confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>;
    approve(call: {
        toolName: string;
        toolCallId: string;
        args: JsonObject;
    }, options?: ConfirmOptions): Promise<Decision>;
    ask(questions: Question[], options?: WaitOptions): Promise<Answers>;
    readonly pending: HitlRequest | undefined;
    answer(questionId: string, answer: unknown, options?: {
        by?: string | Actor;
    }): Promise<void>;
    cancel(questionId: string, options?: {
        reason?: string;
        by?: string | Actor;
    }): Promise<void>;
    subscribe(listener: (request: HitlRequest) => unknown): () => void;
    wait(request: HitlRequest, options?: WaitOptions): Promise<JsonValue>;
    observe(observer: ChannelObserver): () => void;
    present(asked: Asked): Presentation;
}

export declare abstract class ChannelBase implements Channel {
    abstract readonly durable: boolean;
    readonly allowInsideCustomTool: boolean;
    readonly defaultTimeoutSeconds: number | null;
    protected readonly queue: QuestionQueue;
    protected readonly newId: IdSource;
    protected readonly clock: Clock | undefined;
    constructor(options?: ChannelOptions);
    confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>;
    approve(call: {
        toolName: string;
        toolCallId: string;
        args: JsonObject;
    }, options?: ConfirmOptions): Promise<Decision>;
    ask(questions: Question[], options?: WaitOptions): Promise<Answers>;
    get pending(): HitlRequest | undefined;
    answer(questionId: string, answer: unknown, options?: {
        by?: string | Actor;
    }): Promise<void>;
    cancel(questionId: string, options?: {
        reason?: string;
        by?: string | Actor;
    }): Promise<void>;
    subscribe(listener: (request: HitlRequest) => unknown): () => void;
    observe(observer: ChannelObserver): () => void;
    present(asked: Asked): Presentation;
    abstract wait(request: HitlRequest, options?: WaitOptions): Promise<JsonValue>;
    protected abstract askOutside(request: HitlRequest, options: WaitOptions): Promise<JsonValue>;
    protected tellAsked(request: HitlRequest): void;
    protected tellSettled(request: HitlRequest, ending: WaitEnding): void;
    protected timeoutOf(options: WaitOptions): number | null;
    protected get occupied(): string | undefined;
}

export interface ChannelObserver {
    asked(request: HitlRequest): void;
    settled(request: HitlRequest, ending: WaitEnding): void;
}

export interface ChannelOptions {
    defaultTimeoutSeconds?: number | null;
    threadId?: string;
    clock?: Clock;
    onListenerError?: ListenerErrorHandler<HitlRequest>;
}

export type ChunksWanted = boolean | 'few';

export interface Clock {
    now(): number;
    after?(ms: number, act: () => void): () => void;
}

export interface ConfirmOptions extends WaitOptions {
    details?: JsonObject;
}

export type Conflict = {
    kind: 'version';
    version: number;
} | {
    kind: 'lease';
    lease: Lease | null;
} | {
    kind: 'request';
    id: string;
} | {
    kind: 'grant';
    id: string;
} | {
    kind: 'record';
    id: string;
}
 | {
    kind: 'time';
    at: number;
};

export interface ConsumeOptions {
    routes: readonly string[];
    concurrency: number;
    handle(wakeUp: WakeUp): Promise<void>;
    onError(error: unknown): void;
}

export interface Consumer {
    stop(): Promise<void>;
}

export type Content = z.infer<ReturnType<typeof content>>;

export interface CountLimit {
    limit?: number;
}

export declare class DriverConflict extends HoldpointError {
    readonly path: string;
    constructor({ path, driver, first }: {
        path: string;
        driver: string;
        first: string;
    });
}

export interface DuePage {
    requests: DueRequest[];
    nextAt: number | null;
    now: number;
}

export interface DueQuery {
    limit?: number;
    after?: DueRequest;
}

export interface DueRequest {
    tenantId: string;
    id: string;
    expiresAt: number;
}

export declare const FEW_CHUNKS = 8;

export type GrantChange = {
    op: 'create';
    entry: number;
    row: GrantRow;
    ttlMs?: number;
} | {
    op: 'spend';
    id: string;
    amount?: number;
} | {
    op: 'revoke';
    entry: number;
    id: string;
};

export interface GrantPage {
    grants: StoredGrant[];
    next?: string;
}

export interface GrantQuery {
    status?: 'active' | 'all';
    id?: string;
    threadId?: string;
    agent?: string;
    tool?: string;
    reach?: GrantReach;
    limit?: number;
    cursor?: string;
}

export interface GrantReach {
    threadId: string;
    run: string;
    conversation?: string;
    agents: readonly string[];
    tools: readonly string[];
}

export interface GrantRow {
    id: string;
    scope: GrantScope;
    run: string;
    conversation?: string;
    agent: string;
    tool: string;
    uses: number | null;
    cap: number | null;
    expiresAt: number | null;
    used: number;
    spent: number;
}

export type GrantStatus = 'active' | 'used_up' | 'expired' | 'revoked';

export interface HeadMac {
    readonly key: string;
    readonly mac: Uint8Array;
}

export declare class HilContentError extends HoldpointError {
    constructor(problem: string);
}

export type HilMessage = z.infer<ReturnType<typeof hilMessage>>;

export declare class HilMsgStreamMissingError extends HoldpointError {
    readonly stream: string;
    constructor(stream: string);
}

export type HilReply = z.infer<ReturnType<typeof hilReply>>;

export declare class HilStreamExists extends HoldpointError {
    readonly stream: string;
    constructor(stream: string);
}

export declare class HilStreamTakenOver extends HoldpointError {
    readonly stream: string;
    constructor(stream: string);
}

export interface HitlRequest extends z.infer<ReturnType<typeof requestContent>> {
    threadId: string;
    tenant: string;
    status: RequestStatus;
    version: number;
    escalated?: boolean;
    problems?: string[];
    decision?: Decision & {
        by: Actor;
        at: string;
        effectiveAt: string;
    };
    answer?: {
        value: JsonValue;
        by: Actor;
        at: string;
    };
    closedReason?: string;
    createdAt: string;
    expiresAt?: string;
}

export declare class HoldpointError extends Error {
    readonly code: ErrorCode;
    constructor(code: ErrorCode, message: string, options?: {
        cause?: unknown;
    });
    get retryable(): boolean;
    static isInstance(value: unknown): value is HoldpointError;
}

export interface HostedMcpServer {
    readonly type: 'mcp';
    readonly serverLabel: string;
    readonly serverUrl?: string;
    readonly connectorId?: string;
    readonly serverDescription?: string;
    readonly authorization?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly allowedTools?: readonly string[];
    readonly requireApproval: 'always' | 'never' | {
        readonly always?: {
            toolNames: readonly string[];
        };
        readonly never?: {
            toolNames: readonly string[];
        };
    };
}

export declare class InputInvalid extends HoldpointError {
    constructor(problem: string);
}

export interface JsonObject {
    [key: string]: JsonValue;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface Lease extends LeaseClaim {
    until: number;
}

export type LeaseChange = {
    op: 'take';
    holder: string;
    ttlMs: number;
    over?: LeaseClaim;
    thenDrop?: boolean;
} | ({
    op: 'hold';
    thenDrop?: boolean;
} & LeaseClaim) | ({
    op: 'drop';
} & LeaseClaim);

export declare class LimitExceeded extends HoldpointError {
    readonly what: 'callsPerAnswer' | 'entryBytes';
    readonly limit: number;
    readonly found: number;
    constructor(what: LimitExceeded['what'], { limit, found }: {
        limit: number;
        found: number;
    });
}

export type ListenerErrorHandler<T> = (error: unknown, told: T) => void;

export type Message = InputMessage | AssistantMessage | ({
    role: 'tool';
    toolCallId: string;
    toolName: string;
} & ToolResult);

export interface Model {
    readonly name?: string;
    respond(request: ModelRequest): Promise<ModelResponse> | AsyncIterable<ModelPart>;
}

export interface ModelApprovalRequest {
    id: string;
    serverLabel: string;
    name: string;
    arguments: JsonObject | string;
    providerData?: JsonObject;
}

export declare class ModelFailed extends HoldpointError {
    constructor(cause: unknown, { problem, retryable }?: {
        problem?: string;
        retryable?: boolean;
    });
    get retryable(): boolean;
}

export type ModelPart = {
    type: 'text';
    text: string;
} | {
    type: 'reasoning';
    text: string;
} | Extract<Part, {
    type: 'file';
}> | {
    type: 'tool-call';
    call: ModelToolCall;
} | {
    type: 'approval-request';
    request: ModelApprovalRequest;
} | {
    type: 'finish';
    usage?: Partial<Usage>;
    providerData?: JsonObject;
};

export interface ModelRequest {
    instructions?: string;
    messages: readonly Message[];
    tools: readonly {
        name: string;
        description: string;
        parameters: JsonObject;
    }[];
    hostedTools?: readonly HostedMcpServer[];
    outputSchema?: JsonObject;
    signal: AbortSignal;
}

export interface ModelResponse {
    content?: Content;
    reasoning?: Part[];
    toolCalls?: ModelToolCall[];
    approvalRequests?: ModelApprovalRequest[];
    usage?: Partial<Usage>;
    providerData?: JsonObject;
}

export declare class ModelResponseInvalid extends HoldpointError {
    constructor(problem: string);
}

export type ModelToolCall = {
    id?: string;
    name: string;
    providerData?: JsonObject;
} & ({
    args: JsonObject;
} | {
    argsText: string;
});

export interface OutboxPage {
    rows: OutboxRow[];
    end: string;
    missed: boolean;
}

export interface OutboxQuery {
    after?: string;
    tenantId?: string;
    limit?: number;
}

export interface OutboxRow {
    position: string;
    tenantId: string;
    threadId: string;
    subject: OutboxSubject;
    id: string;
    what: string;
    version: number;
    at: number;
}

export interface OutboxStore {
    outbox(query?: OutboxQuery): Promise<OutboxPage>;
    outboxChanged(options: {
        after: string;
        signal: AbortSignal;
    }): Promise<void>;
    prune(options: {
        outboxMs: number;
    }): Promise<void>;
}

export type OutboxSubject = 'request' | 'grant' | 'thread';

export type Part = z.infer<ReturnType<typeof part>>;

export interface PartQuery {
    before?: number;
    limit?: number;
}

export declare class PeerMissing extends HoldpointError {
    constructor(message: string, cause?: unknown);
}

export interface Presentation {
    withdraw(): void;
    update?(request: HitlRequest): void;
}

export declare class QuestionQueue {
    constructor(onListenerError: ListenerErrorHandler<HitlRequest> | undefined);
    get head(): HitlRequest | undefined;
    add(asked: Asked): Presentation;
    answer(questionId: string, answer: unknown, by: Actor): Promise<void>;
    cancel(questionId: string, reason: string, by: Actor): Promise<void>;
    subscribe(listener: (request: HitlRequest) => unknown): () => void;
}

export type QuestionRead = {
    kind: 'question';
    question: StreamMessage;
} | {
    kind: 'unknown';
} | {
    kind: 'missing';
};

export interface Queue {
    readonly isRungByStore?: boolean;
    ring(wakeUp: WakeUp, options?: RingOptions): Promise<void>;
    consume(options: ConsumeOptions): Promise<Consumer>;
    close(): Promise<void>;
}

export declare class QueueFailed extends HoldpointError {
    constructor(what: string, cause?: unknown);
}

export interface ReadOptions {
    after: string;
    owner?: string;
    limit?: number;
    waitMs?: number;
    signal?: AbortSignal;
}

export interface ReaderSession {
    session: string;
    owner: string;
}

export interface ReaderThread {
    threadId: string;
    open: number;
    lastAt: number;
}

export interface ReaderThreadPage {
    threads: ReaderThread[];
    next?: string;
}

export interface ReaderThreadQuery {
    readers?: readonly string[];
    limit?: number;
    cursor?: string;
}

export interface ReadyPage {
    threads: ReadyThread[];
    nextAt: number | null;
    now: number;
}

export interface ReadyQuery {
    limit?: number;
    after?: ReadyThread;
}

export interface ReadyThread {
    tenantId: string;
    threadId: string;
    at: number;
    tries: number;
    agent: string | null;
    agentVersion: string | null;
}

export type RecordChange = {
    op: 'put';
    kind: string;
    id: string;
    value: string;
    expect?: number;
    ttlMs?: number;
} | {
    op: 'delete';
    kind: string;
    id: string;
    expect?: number;
};

export type RecordOutcome = {
    ok: true;
    at: number;
} | {
    ok: false;
    conflict: {
        kind: 'record';
        id: string;
    };
    now: number;
};

export interface RecordPage {
    records: StoredRecord[];
    next?: string;
}

export interface RecordQuery {
    kind: string;
    prefix?: string;
    limit?: number;
    cursor?: string;
}

export interface RecordStore {
    writeRecords(changes: readonly RecordChange[]): Promise<RecordOutcome>;
    readRecord(kind: string, id: string): Promise<StoredRecord | undefined>;
    readRecords(kind: string, ids: readonly string[]): Promise<StoredRecord[]>;
    findRecords(query: RecordQuery): Promise<RecordPage>;
}

export type ReplyRead =
{
    kind: 'reply';
    reply: HilReply;
    by?: string;
    groups?: string[];
} | {
    kind: 'empty';
} | {
    kind: 'missing';
} | {
    kind: 'unknown';
};

export type RequestChange = {
    op: 'open';
    entry: number;
    row: RequestRow;
}
 | {
    op: 'change';
    entry: number;
    id: string;
    from: number;
    status: RequestStatus;
    before?: number;
    dropDeadline?: true;
}
 | {
    op: 'assign';
    id: string;
    assignee: string | null;
    ttlMs?: number;
    claim?: true;
}
 | {
    op: 'comment';
    id: string;
};

export interface RequestCount {
    count: number;
    more: boolean;
}

export type RequestCountQuery = Omit<RequestQuery, 'order' | 'limit' | 'cursor'>;

export type RequestOrder = 'opened' | 'changed';

export interface RequestPage {
    requests: StoredRequest[];
    next?: string;
}

export interface RequestQuery {
    status?: RequestStatus | 'closed';
    threadId?: string;
    threadsUnder?: readonly string[];
    tool?: string;
    agent?: string;
    assignee?: string;
    questionId?: string;
    kind?: 'approve' | 'confirm' | 'ask';
    risk?: Risk;
    readers?: readonly string[];
    satisfiedBy?: readonly string[];
    assignedTo?: string;
    notAssignedToOthers?: string;
    openedBefore?: number;
    openedAfter?: number;
    text?: string;
    order?: RequestOrder;
    limit?: number;
    cursor?: string;
}

export interface RequestRow {
    id: string;
    questionId: string;
    kind: 'approve' | 'confirm' | 'ask';
    agent: string;
    tool: string | null;
    assignee: string | null;
    expiresAt: number | null;
    readers: readonly string[] | null;
    lists: readonly (readonly string[])[] | null;
    risk: Risk | null;
    text: string;
}

export type RequestStatus = (typeof requestStatuses)[number];

export interface RingOptions {
    delayMs?: number;
    signal?: AbortSignal;
}

export declare const SHORT_CHUNK = 4096;

export interface Session {
    getSessionId(): Promise<string>;
    getItems(limit?: number): Promise<SessionItem[]>;
    addItems(items: readonly SessionItem[]): Promise<void>;
    popItem(): Promise<SessionItem | undefined>;
    clearSession(): Promise<void>;
}

export interface SessionFacts {
    owner: string;
    expiresAt: number;
    named?: true;
    last?: string;
    question?: StreamMessage;
}

export declare class SessionFailed extends HoldpointError {
    readonly sessionId: string;
    constructor(sessionId: string, problem: string, cause?: unknown);
}

export type SessionItem = Message & {
    id?: string;
};

export interface SessionsOptions {
    names?: readonly string[];
    known?: readonly string[];
    waitMs?: number;
    signal?: AbortSignal;
}

export interface SnapshotWrite {
    fold: number;
    body: string;
    chunks?: {
        first: number;
        bodies: readonly string[];
    };
}

export interface Store extends RecordStore, OutboxStore {
    readonly tenantId: string;
    readonly clock?: Clock;
    readonly limits?: {
        readonly entryBytes: number;
    };
    append(append: Append): Promise<AppendOutcome>;
    read(threadId: string, options?: {
        after?: number;
        snapshot?: number;
        chunks?: ChunksWanted;
    }): Promise<ThreadSlice>;
    readBack(threadId: string, query?: PartQuery): Promise<ThreadPart>;
    readChain(threadId: string, options?: {
        after?: number;
        limit?: number;
    }): Promise<ChainedEntry[]>;
    readHead(threadId: string): Promise<ThreadHead>;
    getRequest(id: string): Promise<StoredRequest | undefined>;
    findRequests(query: RequestQuery): Promise<RequestPage>;
    countRequests(query: RequestCountQuery, options?: CountLimit): Promise<RequestCount>;
    threadsOf(query: ReaderThreadQuery): Promise<ReaderThreadPage>;
    due(query?: DueQuery): Promise<DuePage>;
    ready(query?: ReadyQuery): Promise<ReadyPage>;
    queue(): Promise<RequestQueue>;
    threads(query?: ThreadQuery): Promise<ThreadPage>;
    findGrants(query: GrantQuery): Promise<GrantPage>;
    renewLease(threadId: string, lease: LeaseClaim & {
        ttlMs: number;
    }): Promise<boolean>;
    changed(threadId: string, options: {
        after: number;
        signal: AbortSignal;
    }): Promise<void>;
    turn?(): Promise<void> | undefined;
    scrub(): Promise<void>;
    tenant(id: string): Store;
    close(): Promise<void>;
}

export declare class StoreBehind extends HoldpointError {
    readonly threadId: string;
    readonly expected: number;
    readonly found: number;
    constructor(where: {
        threadId: string;
        expected: number;
        found: number;
    });
}

export declare class StoreBusy extends HoldpointError {
    constructor(what: string, cause?: unknown);
}

export declare class StoreClosed extends HoldpointError {
    constructor();
}

export declare class StoreCorrupt extends HoldpointError {
    readonly tenantId?: string;
    readonly threadId?: string;
    readonly seq?: number;
    readonly problem: string;
    constructor(place: string | CorruptPlace, problem: string, cause?: unknown);
}

export declare class StoreFailed extends HoldpointError {
    constructor(what: string, cause: unknown);
}

export interface StoreLimits {
    entryBytes?: number;
}

export declare class StoreNewer extends HoldpointError {
    constructor(path: string, found: number, supported: number);
}

export declare class StoreOutdated extends HoldpointError {
    constructor(what: string, found: number, needed: number);
}

export interface StoredEntry {
    seq: number;
    at: number;
    body: string;
}

export interface StoredGrant {
    id: string;
    threadId: string;
    status: GrantStatus;
    uses: number | null;
    used: number;
    cap: number | null;
    spent: number;
    expiresAt: number | null;
    created: StoredEntry;
    revoked: StoredEntry | null;
}

export interface StoredRecord {
    kind: string;
    id: string;
    version: number;
    value: string;
    at: number;
    expiresAt: number | null;
}

export interface StoredRequest {
    id: string;
    threadId: string;
    status: RequestStatus;
    version: number;
    expiresAt: number | null;
    assigned: {
        id: string;
        until: number | null;
    } | null;
    comments: number;
    opened: StoredEntry;
    changed: StoredEntry | null;
}

export interface StoredSnapshot {
    version: number;
    body: string;
    chunks?: string[];
}

export type StreamMessage = {
    position: string;
    message: HilMessage;
} | {
    position: string;
    broken: string;
};

export type StreamRead =
{
    kind: 'messages';
    owner: string;
    messages: StreamMessage[];
    gap?: true;
} | {
    kind: 'empty';
}
 | {
    kind: 'missing';
};

export interface Streams {
    readonly tenantId: string;
    open(session: string, options: {
        owner: string;
        expireSeconds: number;
        takeOver?: boolean;
    }): Promise<string>;
    extend(session: string, options: {
        expireSeconds: number;
        holder?: string;
    }): Promise<boolean>;
    close(session: string, options?: {
        holder?: string;
    }): Promise<boolean>;
    describe(session: string, options?: DescribeOptions): Promise<SessionFacts | undefined>;
    sessions(reader: string, options?: SessionsOptions): Promise<ReaderSession[]>;
    send(session: string, message: HilMessage): Promise<string>;
    read(session: string, options: ReadOptions): Promise<StreamRead>;
    pending(session: string): Promise<StreamRead>;
    question(session: string, messageId: string): Promise<QuestionRead>;
    answer(session: string, messageId: string, reply: HilReply, options?: AnswerOptions): Promise<AnswerOutcome>;
    answerOwn?(session: string, messageId: string, given: OwnAnswer): Promise<OwnAnswerOutcome>;
    takeReply(session: string, messageId: string, options: WaitForReply): Promise<ReplyRead>;
    retract(session: string, messageId: string, options?: {
        notice?: HilMessage;
    }): Promise<boolean>;
    tenant(id: string): Streams;
    ping(): Promise<void>;
    shutdown(): Promise<void>;
}

export declare class StreamsClosed extends HoldpointError {
    constructor();
}

export declare class StreamsFailed extends HoldpointError {
    constructor(what: string, cause: unknown);
}

export interface ThreadHead {
    version: number;
    hash: Uint8Array;
    mac: HeadMac | null;
    erased?: true;
}

export interface ThreadName {
    tenantId: string;
    threadId: string;
}

export interface ThreadPage {
    threads: ThreadName[];
    next?: ThreadName;
}

export interface ThreadPart {
    version: number;
    entries: StoredEntry[];
}

export interface ThreadQuery {
    limit?: number;
    after?: ThreadName;
    before?: number;
}

export interface ThreadSlice {
    version: number;
    head: string;
    follows: string;
    entries: StoredEntry[];
    snapshot?: StoredSnapshot;
    lease: Lease | null;
    wake: WakeMark;
    now: number;
}

export type WaitEnding = {
    answer: JsonValue;
} | {
    ended: 'cancelled' | 'timed_out' | 'aborted' | 'detached';
};

export interface WaitForReply {
    waitMs: number;
    signal?: AbortSignal;
    orRetracted?: boolean;
}

export interface WaitOptions {
    timeoutSeconds?: number | null;
    signal?: AbortSignal;
}

export type WakeChange = {
    op: 'by';
    inMs: number;
    tell?: true;
} | {
    op: 'set';
    at: number | null;
    tries?: number;
};

export interface WakeMark {
    at: number | null;
    tries: number;
    agent: string | null;
    agentVersion: string | null;
}

export interface WakeUp {
    tenantId: string;
    threadId: string;
    route: string;
}

export declare function toApprovalResponse(call: Pick<ToolCall, 'id' | 'providerData'>, result: Extract<Message, {
    role: 'tool';
}>): ApprovalResponse | undefined;

// Not exported, and part of the declarations above.

interface AnswerOptions {
    notice?: HilMessage;
    by?: string;
    groups?: readonly string[];
    listeners?: boolean;
}

type AnswerOutcome = 'answered' | 'unheard' | 'unknown' | 'missing';

interface CorruptPlace {
    readonly store?: string;
    readonly tenantId?: string;
    readonly threadId: string;
    readonly seq?: number;
}

interface DescribeOptions {
    reader?: string;
    names?: readonly string[];
    last?: boolean;
    question?: {
        id: string;
        owner: string;
    };
}

type GrantScope = (typeof grantScopes)[number];

type IdSource = () => string;

type InputMessage = z.infer<ReturnType<typeof inputMessage>>;

interface LeaseClaim {
    holder: string;
    token: number;
}

interface OwnAnswer {
    reply: HilReply;
    owner: string;
    groups?: readonly string[];
}

type OwnAnswerOutcome = 'answered' | 'unheard' | 'look';

interface RequestQueue {
    open: number;
    more: boolean;
    oldestAt: number | null;
    now: number;
}

declare const actor: () => z.ZodObject<{
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

declare const assistantMessage: () => z.ZodObject<{
    role: z.ZodLiteral<"assistant">;
    content: z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"text">;
        text: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"json">;
        value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"file">;
        mediaType: z.ZodString;
        name: z.ZodExactOptional<z.ZodString>;
        data: z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
            sha256: z.ZodString;
            bytes: z.ZodNumber;
            mediaType: z.ZodString;
        }, z.core.$strip>]>;
    }, z.core.$strip>], "type">>]>;
    reasoning: z.ZodExactOptional<z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"text">;
        text: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"json">;
        value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"file">;
        mediaType: z.ZodString;
        name: z.ZodExactOptional<z.ZodString>;
        data: z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
            sha256: z.ZodString;
            bytes: z.ZodNumber;
            mediaType: z.ZodString;
        }, z.core.$strip>]>;
    }, z.core.$strip>], "type">>>;
    toolCalls: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        name: z.ZodString;
        args: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
        argsText: z.ZodExactOptional<z.ZodString>;
        providerData: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    }, z.core.$strip>>>;
    stopReason: z.ZodExactOptional<z.ZodEnum<{
        aborted: "aborted";
        error: "error";
        stop: "stop";
        toolCalls: "toolCalls";
    }>>;
    providerData: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
}, z.core.$strip>;

declare const content: () => z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"text">;
    text: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"json">;
    value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"file">;
    mediaType: z.ZodString;
    name: z.ZodExactOptional<z.ZodString>;
    data: z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
        sha256: z.ZodString;
        bytes: z.ZodNumber;
        mediaType: z.ZodString;
    }, z.core.$strip>]>;
}, z.core.$strip>], "type">>]>;

declare const grantScopes: readonly ['run', 'thread', 'agent', 'tenant'];

declare const hilMessage: () => z.ZodDiscriminatedUnion<[z.ZodObject<{
    msg_id: z.ZodString;
    msg_type: z.ZodLiteral<"HIL_interrupt_request">;
    content: z.ZodObject<{
        source: z.ZodLiteral<"agent_tool_call">;
        body: z.ZodObject<{
            tool_name: z.ZodString;
            type: z.ZodString;
            tool_exec_uuid: z.ZodString;
            detail: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
        }, z.core.$loose>;
    }, z.core.$strip>;
    reply_schema: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    meta: z.ZodExactOptional<z.ZodObject<{
        reviewers: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        transient: z.ZodExactOptional<z.ZodLiteral<true>>;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    msg_id: z.ZodString;
    msg_type: z.ZodLiteral<"Notification">;
    content: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
    meta: z.ZodExactOptional<z.ZodObject<{
        reviewers: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        transient: z.ZodExactOptional<z.ZodLiteral<true>>;
    }, z.core.$strip>>;
}, z.core.$strip>], "msg_type">;

declare const hilReply: () => z.ZodUnion<readonly [z.ZodString, z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>]>;

declare const inputMessage: () => z.ZodObject<{
    role: z.ZodEnum<{
        system: "system";
        user: "user";
    }>;
    content: z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"text">;
        text: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"json">;
        value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"file">;
        mediaType: z.ZodString;
        name: z.ZodExactOptional<z.ZodString>;
        data: z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
            sha256: z.ZodString;
            bytes: z.ZodNumber;
            mediaType: z.ZodString;
        }, z.core.$strip>]>;
    }, z.core.$strip>], "type">>]>;
}, z.core.$strip>;

declare const part: () => z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"text">;
    text: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"json">;
    value: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"file">;
    mediaType: z.ZodString;
    name: z.ZodExactOptional<z.ZodString>;
    data: z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
        sha256: z.ZodString;
        bytes: z.ZodNumber;
        mediaType: z.ZodString;
    }, z.core.$strip>]>;
}, z.core.$strip>], "type">;

declare const requestContent: () => z.ZodObject<{
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
}, z.core.$strip>;

declare const requestStatuses: readonly ['open', 'decided', 'expired', 'cancelled', 'aborted', 'superseded'];
