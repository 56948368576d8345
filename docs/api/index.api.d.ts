// holdpoint: 136 exports. Written by `npm run api`; do not edit.

import type { FieldFormat, TitlePart } from 'holdpoint/client'
import type { RequireApproval } from 'holdpoint/mcp'
import type { Append, AppendOutcome, Asked, AssistantMessage, ChainedEntry, ChannelBase, ChannelObserver, ChannelOptions, ChunksWanted, Clock, ConfirmOptions, Content, CountLimit, DuePage, DueQuery, GrantPage, GrantQuery, HilMessage, HostedMcpServer, ListenerErrorHandler, ModelPart, ModelRequest, ModelResponse, OutboxStore, PartQuery, Presentation, QuestionRead, ReadOptions, ReaderSession, ReaderThreadPage, ReaderThreadQuery, ReadyPage, ReadyQuery, RecordChange, RecordStore, ReplyRead, RequestCount, RequestCountQuery, RequestPage, RequestQuery, RequestStatus, SessionFacts, SessionItem, SessionsOptions, StoreCorrupt, StoreLimits, StoredRequest, StreamRead, ThreadHead, ThreadPage, ThreadPart, ThreadQuery, ThreadSlice, WaitForReply, WaitOptions } from 'holdpoint/ports'

export interface ActionRequests {
    action_requests: {
        name: string;
        args: JsonObject;
        arguments: JsonObject;
        args_input?: JsonObject;
        description?: string;
        id: string;
        version: number;
        digest?: string;
    }[];
    review_configs: {
        action_name: string;
        allowed_decisions: DecisionType[];
        args_schema?: JsonObject;
    }[];
}

export type Actor = z.infer<ReturnType<typeof actor>>;

export declare class Agent<TContext = AnyContext, TOutput = string> extends AgentDefinition<TContext, TOutput> {
    readonly id: string;
    readonly name: string;
    readonly instructions: Instructions | undefined;
    readonly model: Model;
    readonly tools: readonly Tool[];
    readonly handoffDescription: string | undefined;
    readonly onPolicyChange: OnPolicyChange;
    readonly middleware: readonly Middleware[];
    readonly inputGuardrails: readonly InputGuardrail[];
    readonly outputGuardrails: readonly OutputGuardrail[];
    readonly toolErrorFormatter: ToolErrorFormatter | undefined;
    readonly version: string | undefined;
    constructor(options: AgentOptions<TContext, TOutput>);
    get toolset(): readonly Tool[];
    asTool<TSchema extends ParametersSchema = AgentInput, TOuter = AnyContext>(options: OwnContextOptions<TSchema, TContext, TOuter>): Tool<TOuter>;
    asTool<TSchema extends ParametersSchema = AgentInput>(options?: AgentToolOptions<TSchema, TContext>): Tool<TContext>;
    thread(threadId: string, options?: ThreadOptions): Thread<ContextOf<TContext>, TOutput>;
    findTool(name: string): Tool | undefined;
}

export type AgentEvent = (HitlEvent | LoopEvent | LiveEvent) & {
    seq: number;
    replayed: boolean;
};

export interface AgentOptions<TContext = AnyContext, TOutput = string> {
    id?: string;
    name: string;
    instructions?: Instructions<TContext>;
    model: Model;
    outputType?: StandardSchema<unknown, TOutput>;
    tools?: readonly Tool<TContext>[];
    toolUseBehavior?: ToolUseBehavior<NoInfer<TContext>>;
    handoffs?: Handoffs<TContext, NoInfer<TOutput>> | (() => Handoffs<TContext, NoInfer<TOutput>>);
    handoffDescription?: string;
    policy?: Policy<NoInfer<TContext>> | readonly Policy<NoInfer<TContext>>[];
    limits?: AgentLimits;
    onPolicyChange?: OnPolicyChange;
    middleware?: readonly Middleware<NoInfer<TContext>>[];
    inputGuardrails?: readonly InputGuardrail<NoInfer<TContext>>[];
    outputGuardrails?: readonly OutputGuardrail<NoInfer<TContext>>[];
    toolErrorFormatter?: ToolErrorFormatter<NoInfer<TContext>>;
    version?: string;
}

export interface Answer {
    request?: RequestRef;
    id?: string;
    questionId?: string;
    threadId?: string;
    version?: number;
    digest?: string;
    shown?: string;
    decision?: unknown;
    answer?: unknown;
    by: string | Actor;
    comment?: string;
    always?: boolean | GrantOptions;
    undoSeconds?: number;
    idempotencyKey?: string;
    traceparent?: string | undefined;
    records?: readonly RecordChange[];
}

export type Answers = {
    [key: string]: string | string[];
};

export interface AuditKey {
    id: string;
    secret: string;
}

export type BlobRef = z.infer<ReturnType<typeof blobRef>>;

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

export declare class CheckpointedChannel extends ChannelBase {
    readonly durable = true;
    readonly allowInsideCustomTool: boolean;
    constructor(options: CheckpointedChannelOptions);
    wait(request: HitlRequest, options?: WaitOptions): Promise<JsonValue>;
    protected askOutside(question: HitlRequest, options: WaitOptions): Promise<JsonValue>;
    protected get occupied(): string | undefined;
}

export interface ChoiceForm<TValue extends string> {
    content: HilInterruptContent;
    schema: ReplySchema<TValue>;
}

export interface Computer {
    screenshot(): Promise<string>;
    click(x: number, y: number, button: MouseButton): Promise<void>;
    doubleClick(x: number, y: number): Promise<void>;
    scroll(x: number, y: number, scrollX: number, scrollY: number): Promise<void>;
    type(text: string): Promise<void>;
    wait(): Promise<void>;
    move(x: number, y: number): Promise<void>;
    keypress(keys: string[]): Promise<void>;
    drag(path: [number, number][]): Promise<void>;
}

export type ComputerAction = z.infer<ReturnType<typeof computerAction>>;

export type ContextInput = JsonValue | object;

export type Decision = z.infer<ReturnType<typeof decision>>;

export type DecisionType = (typeof decisionTypes)[number];

export declare class Desk {
    list(query?: Parameters<typeof listRequests>[1]): Promise<{
        requests: HitlRequest[];
        next?: string;
    }>;
    get(id: string): Promise<HitlRequest>;
    decide(...answers: Answer[]): Promise<HitlRequest[]>;
    answer(request: RequestRef, answer: unknown, options: Omit<Answer, 'request' | 'id' | 'questionId' | 'threadId' | 'decision' | 'answer'>): Promise<HitlRequest>;
    cancel(request: RequestRef, options: {
        reason: string;
        by: string | Actor;
        version?: number;
        records?: readonly RecordChange[];
    }): Promise<HitlRequest>;
    withdraw(request: RequestRef, by: string | Actor, options?: WithdrawOptions): Promise<HitlRequest>;
    comment(request: RequestRef, options: CommentOptions): Promise<Note>;
    assign(request: RequestRef, options: AssignOptions): Promise<Assignment | null>;
    notes(request: RequestRef): Promise<Note[]>;
    grants(filter?: GrantFilter): Promise<{
        grants: StandingGrant[];
        next?: string;
    }>;
    grant(id: string): Promise<StandingGrant>;
    revoke(id: string, options: {
        by: string | Actor;
        reason?: string;
        records?: readonly RecordChange[];
    }): Promise<StandingGrant>;
}

export type Display = z.infer<ReturnType<typeof display>>;

export type DisplayField = z.infer<ReturnType<typeof displayField>>;

export interface DisplayOptions<TArgs = JsonObject> {
    title?: string;
    fields?: {
        readonly [path: string]: FieldOptions;
    };
    environment?: string | ((args: TArgs) => string);
    affected?: string | ((args: TArgs) => string);
}

export declare class EditInvalid extends HitlError {
    readonly requestId: string;
    readonly problems: readonly string[];
    constructor(requestId: string, problems: readonly string[]);
}

export type EditPreview = {
    ok: true;
    toolName: string;
    args: JsonObject;
    digest: string;
    preview?: JsonValue;
    preconditions?: JsonValue;
} | {
    ok: false;
    problems: string[];
};

export type EraseOptions = EraseTarget & {
    by: string | Actor;
    reason: string;
    abort?: boolean;
    dryRun?: boolean;
    signal?: AbortSignal;
};

export interface Erased {
    erased: ErasedThread[];
    refused: {
        tenantId: string;
        threadId: string;
        error: HoldpointError;
    }[];
}

export type ErrorCode = keyof typeof errorCodes;

export interface FactsContext<TContext = unknown, TDeps = unknown> {
    readonly context: TContext;
    readonly deps: TDeps;
}

export declare class FactsUnstable extends HoldpointError {
    readonly toolName: string;
    readonly members: readonly string[];
    constructor(toolName: string, members: readonly string[], rounds: number);
}

export interface GrantOptions {
    scope?: GrantScope;
    args?: {
        [name: string]: ArgPattern;
    };
    uses?: number;
    cap?: {
        field: string;
        max: number;
    };
    expiresInSeconds?: number;
}

export type GuardrailResult = z.infer<ReturnType<typeof guardrailResult>>;

export declare class GuardrailTripped extends HoldpointError {
    readonly guardrail: string;
    readonly kind: GuardrailKind;
    readonly outputInfo: JsonValue | undefined;
    readonly toolName: string | undefined;
    readonly agent: string;
    constructor(tripped: {
        guardrail: string;
        kind: GuardrailKind;
        agent: string;
        outputInfo?: JsonValue;
        toolName?: string;
    });
}

export declare class HilInterruptCancelled extends HoldpointError {
    readonly stream: string;
    readonly messageId: string;
    readonly reason: InterruptEnd;
    constructor(question: {
        stream: string;
        messageId: string;
    }, reason: InterruptEnd, cause?: unknown);
}

export type HilInterruptContent = z.infer<ReturnType<typeof interruptContent>>;

export declare class HilMessageStreamContext implements AsyncDisposable {
    readonly sessions: readonly string[];
    private constructor();
    get signal(): AbortSignal;
    static open(sessions: string | readonly string[], options: StreamContextOptions): Promise<HilMessageStreamContext>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export declare class HilMsgStreamMissingError extends HoldpointError {
    readonly stream: string;
    constructor(stream: string);
}

export type HilReply = z.infer<ReturnType<typeof hilReply>>;

export declare class HitlAborted extends HitlControlException {
    constructor(reason: string);
}

export declare class HitlCancelled extends HitlControlException {
    readonly reason: string;
    constructor(reason: string);
}

export declare class HitlConcurrencyError extends HitlError {
    readonly questionId: string;
    constructor(questionId: string);
}

export declare class HitlControlException extends HitlError {
}

export declare class HitlDetached extends HitlControlException {
    readonly stored: boolean;
    constructor(stored?: boolean);
}

export declare class HitlDurabilityNotGuaranteed extends HitlError {
    readonly toolName: string;
    constructor(toolName: string);
}

export declare class HitlError extends HoldpointError {
}

export type HitlEvent = {
    type: 'hitl_request';
    request: HitlRequest;
}
 | {
    type: 'hitl_answer';
    questionId: string;
    answer: JsonValue;
    cancelled: boolean;
    timedOut: boolean;
}
 | {
    type: 'agent_suspended';
    pendingRequest: HitlRequest;
} | {
    type: 'agent_aborted';
    reason: string;
};

export declare class HitlNoPendingRequest extends HitlError {
    readonly requestId: string | undefined;
    constructor(requestId?: string);
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

export declare class HitlStaleAnswer extends HitlError {
    readonly requestId: string;
    readonly requestStatus: string;
    readonly decision: Decision | undefined;
    readonly by: Actor | undefined;
    readonly at: string | undefined;
    constructor(settled: {
        id: string;
        status: string;
        version: number;
        decision?: Decision;
        by?: Actor;
        at?: string;
    });
}

export declare class HitlTimedOut extends HitlControlException {
    readonly seconds: number;
    constructor(seconds: number);
}

export declare class HoldpointError extends Error {
    readonly code: ErrorCode;
    constructor(code: ErrorCode, message: string, options?: {
        cause?: unknown;
    });
    get retryable(): boolean;
    static isInstance(value: unknown): value is HoldpointError;
}

export declare class InMemoryChannel extends ChannelBase {
    readonly durable = false;
    wait(request: HitlRequest, options?: WaitOptions): Promise<JsonValue>;
    protected askOutside(request: HitlRequest, options: WaitOptions): Promise<JsonValue>;
}

export interface InputGuardrail<TContext = unknown> {
    readonly name: string;
    execute(given: {
        readonly agent: string;
        readonly input: readonly Message[];
        readonly messages: readonly Message[];
        readonly runContext: RunContext<TContext>;
    }): GuardrailOutcome | Promise<GuardrailOutcome>;
}

export interface JsonObject {
    [key: string]: JsonValue;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export type Message = InputMessage | AssistantMessage | ({
    role: 'tool';
    toolCallId: string;
    toolName: string;
} & ToolResult);

export interface Middleware<TContext = unknown> {
    readonly name: string;
    beforeModel?(hook: ModelHook<TContext>): undefined | ModelView | Promise<undefined | ModelView>;
    afterModel?(hook: ModelHook<TContext> & {
        readonly message: AssistantMessage;
    }): undefined | {
        hold: Gate;
    } | Promise<undefined | {
        hold: Gate;
    }>;
    beforeTool?(hook: BeforeToolHook<TContext>): undefined | {
        refuse: string;
    } | Promise<undefined | {
        refuse: string;
    }>;
    afterTool?(hook: ToolHook<TContext> & {
        readonly result: ToolResult;
    }): undefined | ToolResult | Promise<undefined | ToolResult>;
}

export interface Model {
    readonly name?: string;
    respond(request: ModelRequest): Promise<ModelResponse> | AsyncIterable<ModelPart>;
}

export declare class ModelFailed extends HoldpointError {
    constructor(cause: unknown, { problem, retryable }?: {
        problem?: string;
        retryable?: boolean;
    });
    get retryable(): boolean;
}

export type NeedsApproval<TArgs, TContext = unknown> = boolean | ContextFunction<[runContext: RunContext<TContext>, args: TArgs, callId: string], boolean | Promise<boolean>>;

export type OnApproval<TContext = unknown> = ContextFunction<[
    runContext: RunContext<TContext>,
    item: ApprovalItem
], ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>>;

export interface OutputGuardrail<TContext = unknown> {
    readonly name: string;
    execute(given: {
        readonly agent: string;
        readonly output: string;
        readonly messages: readonly Message[];
        readonly runContext: RunContext<TContext>;
    }): GuardrailOutcome | Promise<GuardrailOutcome>;
}

export type Part = z.infer<ReturnType<typeof part>>;

export interface PatchEditor {
    createFile: Edit<'create_file'>;
    updateFile: Edit<'update_file'>;
    deleteFile: Edit<'delete_file'>;
}

export type PatchOperation = z.infer<ReturnType<typeof operation>>;

export interface Policy<TContext = unknown> {
    readonly name: string;
    readonly version: string;
    readonly shadow: boolean;
    bind(tools: readonly ToolFacts[]): Judge<TContext>;
}

export interface PolicyCall<TContext = unknown> {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly args: JsonObject;
    readonly agent: string;
    readonly runContext: RunContext<TContext>;
    readonly threadId: string;
    readonly messages: readonly Message[];
    readonly message: AssistantMessage;
}

export type PolicyVerdict = {
    verdict: 'allow';
} | {
    verdict: 'deny';
    reason: string;
} | ({
    verdict: 'review';
} & ReviewOptions);

export type Question = z.infer<ReturnType<typeof question>>;

export declare class RequestChanged extends HitlError {
    readonly requestId: string;
    readonly version: number;
    readonly digest: string | undefined;
    constructor(now: {
        id: string;
        version: number;
        digest?: string;
        toolName?: string;
    });
}

export type Risk = (typeof risks)[number];

export interface RunContext<TContext = unknown> {
    readonly context: TContext;
    readonly usage: Usage;
    readonly toolInput?: JsonValue;
}

export type RunItem = {
    type: 'message_output_item';
    agent: string;
    content: Content;
} | {
    type: 'reasoning_item';
    agent: string;
    reasoning: Part[];
} | {
    type: 'tool_call_item' | 'handoff_call_item';
    agent: string;
    call: ToolCall;
} | {
    type: 'tool_call_output_item' | 'handoff_output_item';
    agent: string;
    toolCallId: string;
    toolName: string;
    output: ToolResult;
}
 | {
    type: 'tool_approval_item';
    agent: string;
    request: HitlRequest;
};

export interface RunOptions<TContext = ContextInput> {
    threadId?: string;
    store?: Store;
    context?: TContext;
    deps?: unknown;
    maxTurns?: number | null;
    signal?: AbortSignal;
    toolExecution?: ToolExecution;
    toolErrorFormatter?: ToolErrorFormatter;
    maxRejections?: number | {
        limit: number;
        action: 'end' | 'escalate';
    };
    session?: Session;
    sessionLimit?: number;
    tracing?: Tracing;
    whilePaused?: 'queue' | 'supersede';
}

export type RunResult<TOutput = string> = (ResultBase<TOutput> & {
    readonly status: 'completed';
    readonly finalOutput: TOutput;
    readonly error: undefined;
})
 | (ResultBase<TOutput> & {
    readonly status: 'interrupted';
    readonly error: undefined;
}) | (ResultBase<TOutput> & {
    readonly status: 'aborted';
    readonly error: undefined;
})
 | (ResultBase<TOutput> & {
    readonly status: 'failed';
    readonly error: HoldpointError;
})
 | (ResultBase<TOutput> & {
    readonly status: 'incomplete';
    readonly error: undefined;
});

export declare class RunState extends RunView {
    private constructor();
    static fromString(agent: AgentDefinition, text: string, options?: RestoreOptions): Promise<RunState>;
    static fromStringWithContext(agent: AgentDefinition, text: string, context: RunContext | ContextInput, options?: RestoreOptions & {
        contextStrategy?: 'merge' | 'replace';
    }): Promise<RunState>;
    static load(agent: AgentDefinition, options: LoadOptions): Promise<RunState>;
    loadMessages(): Promise<void>;
    setCurrentAgent(agent: AgentDefinition): Promise<void>;
    get interruptions(): HitlRequest[];
    getInterruptions(): HitlRequest[];
    get tracing(): {
        apiKey: string;
    } | undefined;
    approve(request: RequestRef, options?: DecisionOptions & Standing): Promise<HitlRequest>;
    reject(request: RequestRef, options?: DecisionOptions & Standing & {
        message?: string;
    }): Promise<HitlRequest>;
    edit(request: RequestRef, options: DecisionOptions & {
        args: JsonObject;
        toolName?: string;
        message?: string;
    }): Promise<HitlRequest>;
    respond(request: RequestRef, options: DecisionOptions & {
        message: string;
    }): Promise<HitlRequest>;
    answer(request: RequestRef, answer: unknown, options?: DecisionOptions & Standing): Promise<HitlRequest>;
    decide(given: AnswerBatch | NamedAnswer): Promise<HitlRequest[]>;
    addInput(input: Input): Promise<void>;
    clearPendingInput(): Promise<InputMessage[]>;
    withdraw(request: RequestRef, options?: {
        by?: string | Actor;
        version?: number;
    }): Promise<HitlRequest>;
    toString(options?: TextOptions & {
        includeTracingApiKey?: boolean;
    }): string;
    toJSON(): JsonValue;
}

export declare class Runner {
    constructor(options?: RunnerOptions);
    run<TContext, TOutput>(agent: AgentDefinition<TContext, TOutput>, input: Input | Conversation | RunState, options: RunOptions<ContextOf<TContext>> & {
        stream: true;
    }): Promise<StreamedRunResult<TOutput>>;
    run<TContext, TOutput>(agent: AgentDefinition<TContext, TOutput>, input: Input | Conversation | RunState, options?: RunOptions<ContextOf<TContext>> & {
        stream?: false;
    }): Promise<RunResult<TOutput>>;
    run<TContext, TOutput>(agent: AgentDefinition<TContext, TOutput>, input: Input | Conversation | RunState, options: RunOptions<ContextOf<TContext>> & {
        stream?: boolean;
    }): Promise<RunResult<TOutput> | StreamedRunResult<TOutput>>;
    fromString(text: string, options?: TextOptions): Promise<RunState>;
    fromStringWithContext(text: string, context: RunContext | ContextInput, options?: TextOptions & {
        contextStrategy?: 'merge' | 'replace';
    }): Promise<RunState>;
    load(place: LoadOptions): Promise<RunState>;
}

export interface Session {
    getSessionId(): Promise<string>;
    getItems(limit?: number): Promise<SessionItem[]>;
    addItems(items: readonly SessionItem[]): Promise<void>;
    popItem(): Promise<SessionItem | undefined>;
    clearSession(): Promise<void>;
}

export interface Shell {
    run(action: ShellAction, ctx: ToolContext): ShellResult | Promise<ShellResult>;
}

export type ShellAction = z.infer<ReturnType<typeof action>>;

export type ShellOutput = z.infer<ReturnType<typeof output>>;

export interface SigningKey {
    id: string;
    secret: string;
}

export interface StandingGrant {
    id: string;
    effect: 'allow' | 'deny';
    status: 'active' | 'used_up' | 'expired' | 'revoked';
    scope: GrantScope;
    inConversation?: true;
    tenant: string;
    threadId: string;
    runId: string;
    agent: string;
    requestId: string;
    toolName: string;
    definition: string;
    args?: JsonObject;
    uses?: number;
    used: number;
    cap?: {
        field: string;
        max: number;
    };
    spent?: number;
    message?: string;
    by: Actor;
    createdAt: string;
    expiresAt?: string;
    revoked?: {
        by: Actor;
        at: string;
        reason?: string;
    };
}

export declare class StateDiverged extends HoldpointError {
    readonly threadId: string;
    constructor(threadId: string, problem: string);
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

export declare class StoreFailed extends HoldpointError {
    constructor(what: string, cause: unknown);
}

export declare class StreamChannel extends ChannelBase {
    readonly durable: boolean;
    readonly allowInsideCustomTool: boolean;
    readonly session: string;
    constructor(options: StreamChannelOptions);
    present(asked: Asked): Presentation;
    wait(request: HitlRequest, options?: WaitOptions): Promise<JsonValue>;
    flush(): Promise<void>;
    protected askOutside(request: HitlRequest, options: WaitOptions): Promise<JsonValue>;
    protected get occupied(): string | undefined;
}

export declare class StreamedRunResult<TOutput = string> implements AsyncIterable<AgentEvent> {
    readonly state: RunState;
    readonly completed: Promise<RunResult<TOutput>>;
    get threadId(): string;
    get runId(): string;
    get status(): RunResult['status'] | 'running';
    get interruptions(): HitlRequest[];
    get history(): Message[];
    get newItems(): RunItem[];
    get inputGuardrailResults(): GuardrailResult[];
    get outputGuardrailResults(): GuardrailResult[];
    get lastAgent(): AgentDefinition;
    get finalOutput(): TOutput | undefined;
    get error(): HoldpointError | undefined;
    get usage(): Usage;
    get currentTurn(): number;
    get cancelled(): boolean;
    cancel(reason?: unknown): Promise<RunResult<TOutput>>;
    toTextStream(options?: {
        compatibleWithNodeStreams?: false;
    }): ReadableStream<string> & AsyncIterable<string>;
    toTextStream(options: {
        compatibleWithNodeStreams: true;
    }): Readable;
    [Symbol.asyncIterator](): AsyncIterator<AgentEvent, undefined>;
}

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

export interface Sweep {
    expired: number;
    escalated: number;
    allowed: number;
    passed: number;
    problems: {
        tenantId: string;
        id: string;
        error: JournalInvalid | StoreCorrupt;
    }[];
    nextAt?: string;
}

export interface Sweeper extends AsyncDisposable {
    stop(): Promise<void>;
}

export declare class Thread<TContext = ContextInput, TOutput = string> implements AsyncDisposable {
    readonly id: string;
    get channel(): Channel | undefined;
    get inFlightHitlRequest(): HitlRequest | undefined;
    loadPendingHitlRequest(): Promise<HitlRequest | undefined>;
    subscribe(listener: AgentListener): () => void;
    state(): Promise<RunState>;
    nextResult(): Promise<ThreadResult<TOutput>>;
    prompt(input: Input, given?: PromptOptions<TContext>): Promise<ThreadResult<TOutput>>;
    resume(options?: DriveOptions): Promise<ThreadResult<TOutput>>;
    respond(response: ThreadAnswer): Promise<ThreadResult<TOutput>>;
    detach(): Promise<void>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    abortPending(options?: AbortOptions): Promise<ThreadResult<TOutput>>;
}

export declare class ThreadBusy extends HoldpointError {
    readonly threadId: string;
    readonly holder: string;
    constructor(threadId: string, holder: string);
}

export interface ThreadOptions {
    store?: Store;
    channel?: Channel;
    deps?: unknown;
    onListenerError?: ListenerErrorHandler<AgentEvent>;
    toolErrorFormatter?: ToolErrorFormatter;
    toolExecution?: ToolExecution;
}

export declare class ThreadPaused extends HoldpointError {
    readonly threadId: string;
    readonly requestIds: readonly string[];
    constructor(threadId: string, requestIds: readonly string[]);
}

export type ThreadResult<TOutput = string> = (ThreadResultBase & {
    readonly status: 'completed';
    readonly finalOutput: TOutput;
}) | (ThreadResultBase & {
    readonly status: 'suspended';
}) | (ThreadResultBase & {
    readonly status: 'aborted';
    readonly reason: string;
}) | (ThreadResultBase & {
    readonly status: 'failed';
    readonly error: HoldpointError;
})
 | (ThreadResultBase & {
    readonly status: 'incomplete';
});

export interface Tool<TContext = AnyContext> {
    readonly '~context'?: (context: TContext) => void;
    readonly name: string;
    readonly aliases: readonly string[];
    readonly hosted?: HostedTools;
    readonly definition: ToolDefinition;
    readonly fingerprint: string;
    readonly parameters: StandardSchema;
    readonly needsApproval: NeedsApproval<never>;
    readonly isEnabled: IsEnabled;
    readonly errorFunction?: ErrorFunction | null;
    readonly onApproval?: OnApproval;
    readonly review?: ReviewOptions;
    readonly display?: ToolDisplay;
    readonly line?: string;
    readonly execute: (args: never, ctx: ToolContext<never, never>) => unknown;
    readonly resumable: boolean;
    readonly onUnknownOutcome: UnknownOutcomePolicy;
    readonly timeoutSeconds: number | undefined;
    readonly risk: Risk | undefined;
    readonly preview: ((args: never, ctx: FactsContext) => unknown) | undefined;
    readonly previewCheck: PreviewCheck;
    readonly preconditions: ((args: never, ctx: FactsContext) => unknown) | undefined;
    readonly inputGuardrails: readonly ToolInputGuardrail[];
    readonly outputGuardrails: readonly ToolOutputGuardrail[];
}

export type ToolCall = z.infer<ReturnType<typeof toolCall>>;

export interface ToolContext<TContext = unknown, TDeps = unknown> {
    readonly threadId: string;
    readonly runId: string;
    readonly toolCallId: string;
    readonly idempotencyKey: string;
    readonly fencingToken: number;
    readonly attempt: number;
    readonly context: TContext;
    readonly deps: TDeps;
    readonly signal: AbortSignal;
    readonly approvedBy: Actor | undefined;
    confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>;
    ask(questions: Question[], options?: WaitOptions): Promise<Answers>;
    hold(request: HoldRequest, options?: WaitOptions): Promise<Decision>;
    step<T>(name: string, work: () => T | Promise<T>): Promise<T>;
}

export type ToolErrorFormatter<TContext = unknown> = ContextFunction<[
    failure: {
        kind: 'approval_rejected' | 'tool_not_found';
        toolName: string;
        callId: string;
        defaultMessage: string;
        runContext: RunContext<TContext>;
    }
], string | undefined | Promise<string | undefined>>;

export interface ToolInputGuardrail<TContext = unknown> {
    readonly name: string;
    run(call: GuardedCall<TContext>): ToolGuardrailOutcome | Promise<ToolGuardrailOutcome>;
}

export interface ToolOptions<TSchema extends ParametersSchema, TDeps = unknown, TContext = unknown, TRule = TContext> {
    name: string;
    aliases?: readonly string[];
    description: string;
    parameters: TSchema;
    parametersJsonSchema?: object;
    annotations?: JsonObject;
    needsApproval?: NeedsApproval<OutputOf<TSchema>, TRule>;
    isEnabled?: IsEnabled<TRule>;
    onApproval?: OnApproval<TRule>;
    review?: ReviewOptions;
    display?: DisplayOptions<OutputOf<TSchema>>;
    line?: string;
    execute(args: OutputOf<TSchema>, ctx: ToolContext<TContext, TDeps>): unknown;
    errorFunction?: ErrorFunction<TRule> | null;
    idempotent?: boolean;
    resumable?: boolean;
    onUnknownOutcome?: UnknownOutcomePolicy;
    timeoutSeconds?: number;
    risk?: Risk;
    preview?(args: OutputOf<TSchema>, ctx: FactsContext<TRule>): Preview | Promise<Preview>;
    previewCheck?: PreviewCheck;
    inputGuardrails?: readonly ToolInputGuardrail<TRule>[];
    outputGuardrails?: readonly ToolOutputGuardrail<TRule>[];
    preconditions?(args: OutputOf<TSchema>, ctx: FactsContext<TRule>): JsonValue | Promise<JsonValue>;
}

export declare class ToolOutput {
    readonly result: ToolResult;
}

export interface ToolOutputGuardrail<TContext = unknown> {
    readonly name: string;
    run(call: GuardedCall<TContext> & {
        readonly result: ToolResult;
    }): ToolGuardrailOutcome | Promise<ToolGuardrailOutcome>;
}

export type ToolResult = z.infer<ReturnType<typeof toolResult>>;

export interface ToolRule extends Omit<ReviewOptions, 'description' | 'risk'> {
    description?: string | ((call: PolicyCall) => string | Promise<string>);
    when?: (call: PolicyCall) => boolean | Promise<boolean>;
}

export interface ToolUse {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly args: JsonObject;
    readonly result: ToolResult;
    readonly outcome: CallOutcome['how'];
}

export type ToolUseBehavior<TContext = unknown> = 'run_llm_again' | 'stop_on_first_tool' | {
    readonly stopAtToolNames: readonly string[];
} | ContextFunction<[
    runContext: RunContext<TContext>,
    toolUses: readonly ToolUse[]
], ToolsToFinalOutput | Promise<ToolsToFinalOutput>>;

export type ToolsToFinalOutput = {
    isFinalOutput: false;
    isInterrupted?: undefined;
} | {
    isFinalOutput: true;
    isInterrupted?: undefined;
    finalOutput: string;
};

export type Usage = z.infer<ReturnType<typeof usage>>;

export declare function applyPatchTool(options: ApplyPatchToolOptions): Tool;

export declare function askUser(options?: {
    name?: string;
    description?: string;
}): Tool;

export declare function choiceForm<const TValue extends string>(options: ChoiceFormOptions<TValue>): ChoiceForm<TValue>;

export declare function computerTool(options: ComputerToolOptions): Tool;

export declare function createSweeper(store: Store, options: SweeperOptions): Sweeper;

export declare function definePolicy<TContext = unknown>(judge: Judge<TContext>, names?: PolicyNames): Policy<TContext>;

export declare function erase(store: Store, options: EraseOptions): Promise<Erased>;

export declare function handoff<TSchema extends ParametersSchema = NoArgs, TContext = AnyContext>(agent: AgentDefinition<TContext>, options?: HandoffOptions<TSchema, NoInfer<TContext>>): Tool<TContext>;

export declare function hostedMcpTool(options: HostedMcpToolOptions): Tool;

export declare function humanInTheLoop(options: HumanInTheLoopOptions): Policy;

export declare function interrupt<TOutput = HilReply>(content: HilInterruptContent, options: InterruptOptions<TOutput>): Promise<TOutput>;

export declare function jsonSchema<T = JsonObject>(schema: JsonObjectSchema): StandardSchema<unknown, T>;

export declare function memorySession(options?: {
    id?: string;
    items?: readonly SessionItem[];
}): Session;

export declare function memoryStore(options?: MemoryStoreOptions): Store;

export declare function memoryStreams(options?: MemoryStreamsOptions): Streams;

export declare function notification(content: JsonObject, options: NotificationOptions): Promise<void>;

export declare function openDesk(options: {
    store: Store;
}): Desk;

export declare function previewEdit(agent: AgentDefinition, edit: ProposedEdit, options: {
    store: Store;
    deps?: unknown;
}): Promise<EditPreview>;

export declare function remoteTool<TSchema extends ParametersSchema, TDeps = unknown>(options: RemoteToolOptions<TSchema, TDeps>): Tool;

export declare function run<TContext, TOutput>(agent: AgentDefinition<TContext, TOutput>, input: Input | Conversation | RunState, options: RunOptions<ContextOf<TContext>> & {
    stream: true;
}): Promise<StreamedRunResult<TOutput>>;
export declare function run<TContext, TOutput>(agent: AgentDefinition<TContext, TOutput>, input: Input | Conversation | RunState, options?: RunOptions<ContextOf<TContext>> & {
    stream?: false;
}): Promise<RunResult<TOutput>>;
export declare function run<TContext, TOutput>(agent: AgentDefinition<TContext, TOutput>, input: Input | Conversation | RunState, options: RunOptions<ContextOf<TContext>> & {
    stream?: boolean;
}): Promise<RunResult<TOutput> | StreamedRunResult<TOutput>>;

export declare function shadow<TContext>(policy: Policy<TContext>): Policy<TContext>;

export declare function shellTool(options: ShellToolOptions): Tool;

export declare function storeSession(options: {
    store: Store;
    sessionId: string;
}): Session;

export declare function sweep(store: Store, options?: SweepOptions): Promise<Sweep>;

export declare function toActionRequests(interruptions: readonly HitlRequest[], options?: {
    case?: 'snake';
}): ActionRequests;
export declare function toActionRequests(interruptions: readonly HitlRequest[], options: {
    case: 'camel';
}): CamelActionRequests;
export declare function toActionRequests(interruptions: readonly HitlRequest[], options?: {
    case?: 'camel' | 'snake';
}): ActionRequests | CamelActionRequests;

export declare function tool<TSchema extends ParametersSchema, TDeps = unknown, TContext = unknown, TRule = unknown>(options: ToolOptions<TSchema, TDeps, TContext, TRule>): Tool<TContext>;

export declare function toolOutput(result: ToolResult): ToolOutput;

export declare function withoutToolCalls({ messages }: {
    readonly messages: readonly Message[];
}): Message[];

// Not exported, and part of the declarations above.

interface AbortOptions {
    reason?: string;
    by?: string | Actor;
}

declare abstract class AgentDefinition<TContext = AnyContext, TOutput = unknown> {
    readonly '~types'?: {
        readonly context: (context: TContext) => void;
        readonly output: TOutput;
    };
    abstract readonly id: string;
    abstract readonly name: string;
    abstract readonly version: string | undefined;
    abstract readonly instructions: Instructions | undefined;
    abstract readonly model: Model;
    abstract readonly tools: readonly Tool[];
    abstract readonly toolset: readonly Tool[];
    abstract readonly handoffDescription: string | undefined;
    abstract readonly onPolicyChange: OnPolicyChange;
    abstract readonly middleware: readonly Middleware[];
    abstract readonly inputGuardrails: readonly InputGuardrail[];
    abstract readonly outputGuardrails: readonly OutputGuardrail[];
    abstract readonly toolErrorFormatter: ToolErrorFormatter | undefined;
    abstract findTool(name: string): Tool | undefined;
}

type AgentInput = z.ZodObject<{
    input: z.ZodString;
}>;

interface AgentLimits {
    callsPerAnswer?: number | null;
    argsBytes?: number | null;
    resultBytes?: number | null;
}

type AgentListener = (event: AgentEvent) => unknown;

interface AgentToolOptions<TSchema extends ParametersSchema = AgentInput, TContext = unknown> {
    name?: string;
    description?: string;
    needsApproval?: NeedsApproval<OutputOf<TSchema>, TContext>;
    isEnabled?: IsEnabled<TContext>;
    parameters?: TSchema;
    parametersJsonSchema?: object;
    inputBuilder?(args: OutputOf<TSchema>): Input | Promise<Input>;
    customOutputExtractor?(result: {
        readonly finalOutput: string;
        readonly messages: readonly Message[];
    }): string | Promise<string>;
    inputGuardrails?: readonly ToolInputGuardrail<TContext>[];
    outputGuardrails?: readonly ToolOutputGuardrail<TContext>[];
    maxTurns?: number | null;
}

interface AgentVersion {
    readonly agent: object;
    readonly holdpoint: {
        run(agent: never, input: never, options?: never): Promise<unknown>;
        RunState: {
            fromString(agent: never, text: string, options?: never): Promise<unknown>;
            fromStringWithContext(agent: never, text: string, context: never, options?: never): Promise<unknown>;
            load(agent: never, options: never): Promise<unknown>;
        };
    };
}

interface AnswerBatch extends AnswerOptions {
    decisions: readonly (Decision | JsonObject | boolean)[];
    always?: boolean | GrantOptions;
    unbound?: boolean;
}

interface AnswerBinding {
    version?: number;
    digest?: string;
}

interface AnswerOptions {
    notice?: HilMessage;
    by?: string;
    groups?: readonly string[];
    listeners?: boolean;
}

interface AnswerOptions {
    by?: string | Actor;
    comment?: string;
    undoSeconds?: number;
    idempotencyKey?: string;
}

type AnswerOutcome = 'answered' | 'unheard' | 'unknown' | 'missing';

type AnyContext = any;

interface ApplyPatchToolOptions extends BuiltInOptions<PatchOperation> {
    editor: PatchEditor;
}

interface ApprovalAnswer {
    approve: boolean;
    reason?: string;
}

interface ApprovalItem {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly args: JsonObject;
    readonly agent: string;
}

type ArgPattern = JsonValue | {
    oneOf: JsonValue[];
} | {
    prefix: string;
};

interface AssignOptions {
    assignee: string | null;
    by: string | Actor;
    seconds?: number;
    claim?: boolean;
    records?: readonly RecordChange[];
}

interface Assignment {
    id: string;
    until?: string;
}

type AuditKeyOption = string | AuditKey | readonly AuditKey[];

interface BeforeToolHook<TContext = unknown> extends ToolHook<TContext> {
    hold(request: HoldRequest, options?: WaitOptions): Promise<Decision>;
}

type Branded<T, B extends string> = T & {
    readonly [brand]: B;
};

interface BuiltInOptions<TAction> {
    name?: string;
    description?: string;
    needsApproval?: NeedsApprovalOf<TAction>;
    onApproval?: OnApproval;
    timeoutSeconds?: number;
    risk?: Risk;
}

type CallKey = Branded<string, 'CallKey'>;

interface CallOutcome {
    readonly id: string;
    readonly tool: string;
    readonly args: JsonObject | undefined;
    readonly how: 'finished' | EntryOf<'call.refused'>['cause'];
    readonly result: ToolResult;
}

interface CamelActionRequests {
    actionRequests: {
        name: string;
        args: JsonObject;
        arguments: JsonObject;
        argsInput?: JsonObject;
        description?: string;
        id: string;
        version: number;
        digest?: string;
    }[];
    reviewConfigs: {
        actionName: string;
        allowedDecisions: DecisionType[];
        argsSchema?: JsonObject;
    }[];
}

interface CheckpointedChannelOptions extends ChannelOptions {
    store: Store;
    threadId: string;
    allowInsideCustomTool?: boolean;
}

interface ChoiceFormOptions<TValue extends string> {
    toolName: string;
    prompt: string;
    choices: readonly (TValue | {
        value: TValue;
        label?: string;
        description?: string;
    })[];
}

interface CommentOptions {
    text: string;
    by: string | Actor;
    records?: readonly RecordChange[];
}

interface ComputerToolOptions extends BuiltInOptions<ComputerAction> {
    computer: Computer;
}

type ContextFunction<TArgs extends unknown[], TResult> = {
    call(...args: TArgs): TResult;
}['call'];

type ContextOf<TContext> = unknown extends TContext ? ContextInput : TContext;

type Conversation = readonly Message[];

type DecisionOptions = AnswerOptions & AnswerBinding;

interface DescribeOptions {
    reader?: string;
    names?: readonly string[];
    last?: boolean;
    question?: {
        id: string;
        owner: string;
    };
}

interface DriveOptions {
    signal?: AbortSignal;
    maxTurns?: number | null;
}

type Edit<TType extends PatchOperation['type']> = (operation: Extract<PatchOperation, {
    type: TType;
}>, ctx: ToolContext) => PatchResult | void | Promise<PatchResult | void>;

type Entry = z.infer<ReturnType<typeof entry>>;

type EntryOf<T extends Entry['type']> = Extract<Entry, {
    type: T;
}>;

type EraseTarget = {
    threadId: string;
    tenantId?: never;
    olderThanMs?: never;
} | {
    threadId?: never;
    tenantId: string;
    olderThanMs?: number;
} | {
    threadId?: never;
    tenantId?: never;
    olderThanMs: number;
};

interface ErasedThread {
    tenantId: string;
    threadId: string;
    entries: number;
    requests: number;
}

type ErrorFunction<TContext = unknown> = ContextFunction<[
    runContext: RunContext<TContext>,
    error: unknown
], string | Promise<string>>;

interface EventPlace {
    path: string[];
    depth: number;
}

type FieldOptions = FieldFormat | {
    format: FieldFormat;
    label?: string;
    currency?: string | {
        path: string;
    };
    unit?: 'minor' | 'major';
};

interface Gate {
    readonly description: string;
    readonly details?: JsonObject;
    readonly allowedDecisions?: readonly Exclude<DecisionType, 'edit'>[];
    readonly risk?: Risk;
    readonly timeoutSeconds?: number;
}

type GrantFilter = Pick<GrantQuery, 'status' | 'tool' | 'agent' | 'threadId' | 'limit' | 'cursor'>;

type GrantScope = (typeof grantScopes)[number];

interface GuardedCall<TContext = unknown> {
    readonly agent: string;
    readonly toolName: string;
    readonly toolCallId: string;
    readonly args: JsonObject;
    readonly runContext: RunContext<TContext>;
}

type GuardrailKind = 'input' | 'output' | 'tool_input' | 'tool_output';

interface GuardrailOutcome {
    tripwireTriggered: boolean;
    outputInfo?: JsonValue;
}

type HandoffInputFilter<TContext = AnyContext> = (handoff: {
    readonly messages: readonly Message[];
    readonly runContext: RunContext<TContext>;
}) => readonly Message[] | Promise<readonly Message[]>;

interface HandoffOptions<TSchema extends ParametersSchema = NoArgs, TContext = unknown> {
    toolName?: string;
    toolDescription?: string;
    parameters?: TSchema;
    needsApproval?: NeedsApproval<OutputOf<TSchema>, TContext>;
    isEnabled?: IsEnabled<TContext>;
    onHandoff?(args: OutputOf<TSchema>, ctx: ToolContext<TContext>): unknown;
    idempotent?: boolean;
    inputFilter?: HandoffInputFilter<TContext>;
}

type Handoffs<TContext = AnyContext, TOutput = unknown> = readonly (AgentDefinition<TContext, TOutput> | Tool<TContext>)[];

interface HoldRequest {
    description: string;
    args?: JsonObject;
    details?: JsonObject;
    allowedDecisions?: readonly DecisionType[];
    risk?: Risk;
}

interface HostedMcpToolOptions {
    serverLabel: string;
    serverUrl?: string;
    connectorId?: string;
    serverDescription?: string;
    authorization?: string;
    headers?: Readonly<Record<string, string>>;
    allowedTools?: readonly string[];
    requireApproval?: RequireApproval;
    onApproval?: OnApproval;
}

interface HostedTools {
    readonly server: HostedMcpServer;
    readonly prefix: string;
    member(name: string): Tool | undefined;
}

interface HumanInTheLoopOptions {
    interruptOn: Readonly<Record<string, boolean | ToolRule>>;
    descriptionPrefix?: string;
    otherwise?: 'allow' | 'review' | 'deny';
    name?: string;
    version?: string;
}

type Input = string | InputMessage | readonly InputMessage[];

type InputMessage = z.infer<ReturnType<typeof inputMessage>>;

type Instructions<TContext = AnyContext> = string | ((runContext: RunContext<TContext>) => string | undefined | Promise<string | undefined>);

type InterruptEnd = 'timeout' | 'signal' | 'retracted';

interface InterruptOptions<TOutput = HilReply> {
    stream: string;
    streams: Streams;
    timeoutSeconds?: number;
    timeoutRetry?: number;
    signal?: AbortSignal;
    schema?: ReplySchema<TOutput>;
}

type IsEnabled<TContext = unknown> = boolean | ContextFunction<[
    given: {
        readonly runContext: RunContext<TContext>;
        readonly agent: string;
    }
], boolean | Promise<boolean>>;

declare class JournalInvalid extends HoldpointError {
    readonly threadId: string;
    readonly seq: number;
}

interface JsonObjectSchema {
    readonly type: string;
    readonly [keyword: string]: unknown;
}

type Judge<TContext = unknown> = ContextFunction<[
    call: PolicyCall<TContext>
], PolicyVerdict | Promise<PolicyVerdict>>;

interface LeaseClaim {
    holder: string;
    token: number;
}

type LiveEvent = {
    type: 'model_part';
    turn: number;
    part: LivePart;
} & EventPlace;

type LivePart = {
    type: 'text';
    text: string;
} | {
    type: 'reasoning';
    text: string;
} | Extract<Part, {
    type: 'file';
}> | {
    type: 'tool-call';
    call: {
        id?: string;
        name: string;
        args?: JsonObject;
        argsText?: string;
    };
};

interface LoadOptions {
    threadId: string;
    store: Store;
    messages?: boolean;
}

type LoopEvent = {
    type: 'agent_start';
    runId: string;
    input: Message[];
} | ({
    type: 'turn_start';
    turn: number;
} & EventPlace) | ({
    type: 'message';
    message: AssistantMessage;
} & EventPlace) | ({
    type: 'tool_start';
    toolCallId: string;
    toolName: string;
    args: JsonObject;
    attempt: number;
} & EventPlace) | ({
    type: 'tool_end';
    toolCallId: string;
    toolName: string;
    result: ToolResult;
    refused?: string;
} & EventPlace)
 | ({
    type: 'agent_changed';
    agent: string;
} & EventPlace) | ({
    type: 'turn_end';
    turn: number;
} & EventPlace) | {
    type: 'agent_end';
    runId: string;
    status: 'completed' | 'aborted';
};

interface MemoryStoreOptions {
    clock?: Clock;
    auditKey?: AuditKeyOption;
    limits?: StoreLimits;
}

interface MemoryStreamsOptions {
    clock?: Clock;
    maxNotifications?: number;
}

interface ModelHook<TContext = unknown> {
    readonly runContext: RunContext<TContext>;
    readonly messages: readonly Message[];
    readonly turn: number;
}

interface ModelView {
    messages?: readonly Message[];
    instructions?: string;
}

type MouseButton = z.infer<ReturnType<typeof button>>;

type NamedAnswer = AnswerOptions & AnswerBinding & {
    always?: boolean | GrantOptions;
} & ({
    id: string;
} | {
    questionId: string;
}) & ({
    decision: Decision | JsonObject;
} | {
    answer: unknown;
});

type NeedsApprovalOf<TAction> = boolean | ContextFunction<[runContext: RunContext, action: TAction, callId: string], boolean | Promise<boolean>>;

type NoArgs = z.ZodObject<Record<never, never>>;

type Note = {
    type: 'comment';
    at: string;
    by: Actor;
    text: string;
    version: number;
} | {
    type: 'assignment';
    at: string;
    by: Actor;
    assignee: string | null;
    until?: string;
};

interface NotificationOptions {
    stream: string;
    streams: Streams;
}

type OnPolicyChange = 'keep' | 'ask' | 'deny';

type OnTimeout = (typeof onTimeouts)[number];

type OutputOf<TSchema extends ParametersSchema> = TSchema extends StandardSchema ? NonNullable<TSchema['~standard']['types']>['output'] : JsonObject;

interface OwnAnswer {
    reply: HilReply;
    owner: string;
    groups?: readonly string[];
}

type OwnAnswerOutcome = 'answered' | 'unheard' | 'look';

interface OwnContextOptions<TSchema extends ParametersSchema, TContext, TOuter> extends AgentToolOptions<TSchema, TOuter> {
    context(args: OutputOf<TSchema>, runContext: RunContext<TOuter>): ContextOf<TContext> | Promise<ContextOf<TContext>>;
}

type ParametersSchema = StandardSchema | JsonObjectSchema;

type PatchResult = {
    status?: 'completed' | 'failed';
    output?: string;
} | undefined;

type PathPart = PropertyKey | {
    readonly key: PropertyKey;
};

interface PolicyNames {
    name?: string;
    version?: string;
}

type Preview = JsonValue | {
    show: JsonValue;
    compare: JsonValue;
};

type PreviewCheck = 'same' | 'none';

interface PromptOptions<TContext = ContextInput> extends DriveOptions {
    context?: TContext;
    whilePaused?: 'queue' | 'supersede';
    maxRejections?: number | {
        limit: number;
        action: 'end' | 'escalate';
    };
}

interface ProposedEdit {
    request: RequestRef;
    args: JsonObject;
    toolName?: string;
    by?: string | Actor;
}

interface RemoteToolOptions<TSchema extends ParametersSchema, TDeps = unknown> extends Omit<ToolOptions<TSchema, TDeps>, 'execute'> {
    streams: Streams;
    session: string | ((ctx: ToolContext<unknown, TDeps>) => string | Promise<string>);
    timeoutSeconds?: number;
    resumable?: boolean;
    onProgress?(progress: JsonValue, ctx: ToolContext<unknown, TDeps>): void;
    maxMessageBytes?: number;
}

interface ReplySchema<TOutput = unknown> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => Validated<TOutput> | Promise<Validated<TOutput>>;
        readonly types?: {
            readonly input: unknown;
            readonly output: TOutput;
        } | undefined;
    };
}

interface RequestQueue {
    open: number;
    more: boolean;
    oldestAt: number | null;
    now: number;
}

type RequestRef = string | Pick<HitlRequest, 'id'>;

type RequestSource = Pick<Store, 'getRequest' | 'findRequests' | 'tenantId'>;

interface RestoreOptions extends TextOptions {
    trust?: boolean;
}

interface ResultBase<TOutput> {
    readonly threadId: string;
    readonly runId: string;
    readonly state: RunState;
    readonly interruptions: HitlRequest[];
    readonly usage: Usage;
    readonly history: Message[];
    readonly newItems: RunItem[];
    readonly inputGuardrailResults: GuardrailResult[];
    readonly outputGuardrailResults: GuardrailResult[];
    readonly lastAgent: AgentDefinition;
    readonly finalOutput: TOutput | undefined;
    readonly error: HoldpointError | undefined;
}

interface ReviewOptions {
    allowedDecisions?: readonly DecisionType[];
    description?: string;
    argsSchema?: JsonObject;
    timeoutSeconds?: number;
    onTimeout?: OnTimeout;
    decisionValidSeconds?: number;
    reviewers?: readonly string[];
    via?: readonly string[];
    risk?: Risk;
}

declare abstract class RunView {
    get threadId(): string;
    get runId(): string;
    get status(): 'open' | 'completed' | 'aborted';
    get agentVersion(): string | undefined;
    get currentAgent(): string;
    get lastAgent(): AgentDefinition;
    get usage(): Usage;
    get currentTurn(): number;
    get messages(): Message[];
    get history(): Message[];
    get newItems(): RunItem[];
    get inputGuardrailResults(): GuardrailResult[];
    get outputGuardrailResults(): GuardrailResult[];
    get pendingInput(): InputMessage[];
    get lastText(): string;
}

interface RunnerOptions {
    toolExecution?: NonNullable<RunOptions['toolExecution']>;
    toolErrorFormatter?: ToolErrorFormatter;
    agents?: Readonly<Record<string, AgentDefinition | AgentVersion>>;
}

type ShellResult = z.infer<ReturnType<typeof result>>;

interface ShellToolOptions extends BuiltInOptions<ShellAction> {
    shell: Shell;
}

interface StandardIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}

type StandardResult<TOutput> = {
    readonly value: TOutput;
    readonly issues?: undefined;
} | {
    readonly issues: readonly StandardIssue[];
};

interface StandardSchema<TInput = unknown, TOutput = TInput> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => StandardResult<TOutput> | Promise<StandardResult<TOutput>>;
        readonly types?: {
            readonly input: TInput;
            readonly output: TOutput;
        } | undefined;
    };
}

interface Standing {
    always?: boolean | GrantOptions;
}

interface StreamChannelOptions extends ChannelOptions {
    streams: Streams;
    session: string;
    store?: Store;
    allowInsideCustomTool?: boolean;
    keepOpen?: {
        owner: string;
        expireSeconds?: number;
    };
    maxMessageBytes?: number;
}

interface StreamContextOptions {
    streams: Streams;
    owner: string;
    expireSeconds?: number;
    takeOver?: boolean;
}

interface SweepOptions {
    limit?: number;
    signal?: AbortSignal;
}

interface SweeperOptions {
    everyMs?: number;
    onError: (error: unknown) => void;
}

interface TextOptions {
    signingKeys?: readonly SigningKey[];
}

type TextRule = string | ((args: JsonObject) => unknown);

type ThreadAnswer = DriveOptions & (NamedAnswer | AnswerBatch | (AnswerOptions & AnswerBinding & {
    answer: unknown;
    unbound?: boolean;
}));

interface ThreadResultBase {
    readonly threadId: string;
    readonly runId: string | undefined;
    readonly messages: Message[];
    readonly usage: Usage;
    readonly requests: HitlRequest[];
}

type ThreadSource = Pick<Store, 'threads' | 'tenantId'>;

interface ToolDefinition {
    name: string;
    description: string;
    parameters: JsonObject;
    annotations?: JsonObject;
}

interface ToolDisplay {
    readonly title: readonly TitlePart[] | undefined;
    readonly fields: readonly DisplayField[];
    readonly environment: TextRule | undefined;
    readonly affected: TextRule | undefined;
}

interface ToolExecution {
    start?: 'cleared' | 'settled';
    preApprovalInputGuardrails?: boolean;
    maxFunctionToolConcurrency?: number | null;
}

interface ToolFacts {
    readonly name: string;
    readonly aliases?: readonly string[];
    readonly risk?: Risk | undefined;
    readonly prefix?: string;
}

type ToolGuardrailOutcome = {
    behavior: 'allow';
    outputInfo?: JsonValue;
} | {
    behavior: 'rejectContent';
    message: string;
    outputInfo?: JsonValue;
} | {
    behavior: 'throwException';
    outputInfo?: JsonValue;
};

interface ToolHook<TContext = unknown> {
    readonly runContext: RunContext<TContext>;
    readonly toolName: string;
    readonly toolCallId: string;
    readonly args: JsonObject;
}

interface Tracing {
    apiKey: string;
}

type UnknownOutcomePolicy = 'ask' | 'retry' | 'fail';

type Validated<TOutput> = {
    readonly value: TOutput;
    readonly issues?: undefined;
} | {
    readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly PathPart[] | undefined;
    }[];
};

interface WithdrawOptions {
    anyAuthor?: boolean;
    version?: number;
    records?: readonly RecordChange[];
}

declare const action: () => z.ZodObject<{
    commands: z.ZodArray<z.ZodString>;
    timeoutMs: z.ZodExactOptional<z.ZodInt>;
    maxOutputLength: z.ZodExactOptional<z.ZodInt>;
}, z.core.$strip>;

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

declare const blobRef: () => z.ZodObject<{
    sha256: z.ZodString;
    bytes: z.ZodNumber;
    mediaType: z.ZodString;
}, z.core.$strip>;

declare const button: () => z.ZodEnum<{
    back: "back";
    forward: "forward";
    left: "left";
    right: "right";
    wheel: "wheel";
}>;

declare const computerAction: () => z.ZodDiscriminatedUnion<[z.ZodObject<{
    x: z.ZodNumber;
    y: z.ZodNumber;
    type: z.ZodLiteral<"click">;
    button: z.ZodDefault<z.ZodEnum<{
        back: "back";
        forward: "forward";
        left: "left";
        right: "right";
        wheel: "wheel";
    }>>;
}, z.core.$strip>, z.ZodObject<{
    x: z.ZodNumber;
    y: z.ZodNumber;
    type: z.ZodLiteral<"double_click">;
}, z.core.$strip>, z.ZodObject<{
    x: z.ZodNumber;
    y: z.ZodNumber;
    type: z.ZodLiteral<"move">;
}, z.core.$strip>, z.ZodObject<{
    x: z.ZodNumber;
    y: z.ZodNumber;
    type: z.ZodLiteral<"scroll">;
    scroll_x: z.ZodNumber;
    scroll_y: z.ZodNumber;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"drag">;
    path: z.ZodArray<z.ZodObject<{
        x: z.ZodNumber;
        y: z.ZodNumber;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"type">;
    text: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"keypress">;
    keys: z.ZodArray<z.ZodString>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"wait">;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"screenshot">;
}, z.core.$strip>], "type">;

declare const decision: () => z.ZodDiscriminatedUnion<[z.ZodObject<{
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

declare const decisionTypes: readonly ['approve', 'edit', 'reject', 'respond'];

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

declare const entry: () => z.ZodDiscriminatedUnion<[z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"run.opened">;
    run: z.ZodString;
    agent: z.ZodObject<{
        id: z.ZodString;
        name: z.ZodString;
        version: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>;
    driver: z.ZodExactOptional<z.ZodLiteral<"external">>;
    host: z.ZodExactOptional<z.ZodObject<{
        source: z.ZodString;
        conversation: z.ZodString;
        call: z.ZodExactOptional<z.ZodString>;
        principal: z.ZodExactOptional<z.ZodString>;
        slot: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
    input: z.ZodArray<z.ZodObject<{
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
    }, z.core.$strip>>;
    context: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    session: z.ZodExactOptional<z.ZodObject<{
        id: z.ZodString;
    }, z.core.$strip>>;
    history: z.ZodExactOptional<z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    }, z.core.$strip>, z.ZodObject<{
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
    }, z.core.$strip>, z.ZodObject<{
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
        data: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        isError: z.ZodExactOptional<z.ZodBoolean>;
        role: z.ZodLiteral<"tool">;
        toolCallId: z.ZodString;
        toolName: z.ZodString;
    }, z.core.$strip>], "role">>>;
    options: z.ZodObject<{
        maxTurns: z.ZodNullable<z.ZodNumber>;
        start: z.ZodEnum<{
            cleared: "cleared";
            settled: "settled";
        }>;
        maxRejections: z.ZodExactOptional<z.ZodObject<{
            limit: z.ZodNumber;
            action: z.ZodEnum<{
                end: "end";
                escalate: "escalate";
            }>;
        }, z.core.$strip>>;
        preApprovalInputGuardrails: z.ZodExactOptional<z.ZodLiteral<true>>;
        maxFunctionToolConcurrency: z.ZodExactOptional<z.ZodNumber>;
    }, z.core.$strip>;
    trace: z.ZodExactOptional<z.ZodObject<{
        traceId: z.ZodString;
        spanId: z.ZodString;
        sampled: z.ZodExactOptional<z.ZodLiteral<false>>;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"input.added">;
    run: z.ZodString;
    frame: z.ZodExactOptional<z.ZodString>;
    input: z.ZodArray<z.ZodObject<{
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
    }, z.core.$strip>>;
    note: z.ZodExactOptional<z.ZodLiteral<true>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"input.cleared">;
    run: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"context.replaced">;
    run: z.ZodString;
    strategy: z.ZodEnum<{
        merge: "merge";
        replace: "replace";
    }>;
    context: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    toolInput: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    usage: z.ZodExactOptional<z.ZodObject<{
        requests: z.ZodNumber;
        inputTokens: z.ZodNumber;
        outputTokens: z.ZodNumber;
        totalTokens: z.ZodNumber;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"run.moved">;
    run: z.ZodString;
    agent: z.ZodObject<{
        id: z.ZodString;
        name: z.ZodString;
        version: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>;
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
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"model.answered">;
    frame: z.ZodString;
    turn: z.ZodNumber;
    read: z.ZodExactOptional<z.ZodNumber>;
    message: z.ZodObject<{
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
    usage: z.ZodExactOptional<z.ZodObject<{
        requests: z.ZodNumber;
        inputTokens: z.ZodNumber;
        outputTokens: z.ZodNumber;
        totalTokens: z.ZodNumber;
    }, z.core.$strip>>;
    byTools: z.ZodExactOptional<z.ZodLiteral<true>>;
    guardrails: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
        guardrail: z.ZodObject<{
            type: z.ZodEnum<{
                input: "input";
                output: "output";
            }>;
            name: z.ZodString;
        }, z.core.$strip>;
        agent: z.ZodString;
        output: z.ZodObject<{
            tripwireTriggered: z.ZodBoolean;
            outputInfo: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        }, z.core.$strip>;
    }, z.core.$strip>>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"model.discarded">;
    run: z.ZodString;
    usage: z.ZodExactOptional<z.ZodObject<{
        requests: z.ZodNumber;
        inputTokens: z.ZodNumber;
        outputTokens: z.ZodNumber;
        totalTokens: z.ZodNumber;
    }, z.core.$strip>>;
    turn: z.ZodExactOptional<z.ZodObject<{
        frame: z.ZodString;
        number: z.ZodNumber;
    }, z.core.$strip>>;
    guardrails: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
        guardrail: z.ZodObject<{
            type: z.ZodEnum<{
                input: "input";
                output: "output";
            }>;
            name: z.ZodString;
        }, z.core.$strip>;
        agent: z.ZodString;
        output: z.ZodObject<{
            tripwireTriggered: z.ZodBoolean;
            outputInfo: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        }, z.core.$strip>;
    }, z.core.$strip>>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"tool.defined">;
    definition: z.ZodString;
    name: z.ZodString;
    description: z.ZodString;
    parameters: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
    annotations: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"call.judged">;
    call: z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>;
    args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    asRun: z.ZodExactOptional<z.ZodLiteral<true>>;
    argsInput: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    definition: z.ZodExactOptional<z.ZodString>;
    facts: z.ZodExactOptional<z.ZodObject<{
        preview: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        previewCompare: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        preconditions: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    }, z.core.$strip>>;
    digest: z.ZodExactOptional<z.ZodString>;
    verdict: z.ZodDiscriminatedUnion<[z.ZodObject<{
        kind: z.ZodLiteral<"allow">;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"review">;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"deny">;
        reason: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        kind: z.ZodLiteral<"invalid">;
        problem: z.ZodString;
    }, z.core.$strip>], "kind">;
    policies: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
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
    }, z.core.$strip>>>;
    review: z.ZodExactOptional<z.ZodObject<{
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
    }, z.core.$strip>>;
    handoff: z.ZodExactOptional<z.ZodLiteral<true>>;
}, z.core.$strip>, z.ZodObject<{
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
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"request.opened">;
    run: z.ZodExactOptional<z.ZodString>;
    call: z.ZodExactOptional<z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>>;
    driver: z.ZodExactOptional<z.ZodLiteral<"external">>;
    ordinal: z.ZodExactOptional<z.ZodNumber>;
    gate: z.ZodExactOptional<z.ZodLiteral<true>>;
    frame: z.ZodExactOptional<z.ZodString>;
    definition: z.ZodExactOptional<z.ZodString>;
    asRun: z.ZodExactOptional<z.ZodLiteral<true>>;
    previewCompare: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    policies: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
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
    }, z.core.$strip>>>;
    expiresAt: z.ZodExactOptional<z.ZodNumber>;
    trace: z.ZodExactOptional<z.ZodObject<{
        traceId: z.ZodString;
        spanId: z.ZodString;
        sampled: z.ZodExactOptional<z.ZodLiteral<false>>;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"request.decided">;
    id: z.ZodString;
    call: z.ZodExactOptional<z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>>;
    version: z.ZodNumber;
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
    undoMs: z.ZodExactOptional<z.ZodNumber>;
    comment: z.ZodExactOptional<z.ZodString>;
    shown: z.ZodExactOptional<z.ZodString>;
    idempotency: z.ZodExactOptional<z.ZodObject<{
        key: z.ZodString;
        content: z.ZodString;
    }, z.core.$strip>>;
    trace: z.ZodExactOptional<z.ZodObject<{
        traceId: z.ZodString;
        spanId: z.ZodString;
        sampled: z.ZodExactOptional<z.ZodLiteral<false>>;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"request.answered">;
    id: z.ZodString;
    call: z.ZodExactOptional<z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>>;
    version: z.ZodNumber;
    answer: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
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
    comment: z.ZodExactOptional<z.ZodString>;
    idempotency: z.ZodExactOptional<z.ZodObject<{
        key: z.ZodString;
        content: z.ZodString;
    }, z.core.$strip>>;
    trace: z.ZodExactOptional<z.ZodObject<{
        traceId: z.ZodString;
        spanId: z.ZodString;
        sampled: z.ZodExactOptional<z.ZodLiteral<false>>;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"request.reopened">;
    id: z.ZodString;
    call: z.ZodExactOptional<z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>>;
    version: z.ZodNumber;
    cause: z.ZodEnum<{
        edit_refused: "edit_refused";
        withdrawn: "withdrawn";
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
    problems: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"request.closed">;
    id: z.ZodString;
    call: z.ZodExactOptional<z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>>;
    version: z.ZodNumber;
    status: z.ZodEnum<{
        aborted: "aborted";
        cancelled: "cancelled";
        expired: "expired";
        superseded: "superseded";
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
    reason: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"request.escalated">;
    id: z.ZodString;
    call: z.ZodExactOptional<z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>>;
    version: z.ZodNumber;
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
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"request.commented">;
    id: z.ZodString;
    version: z.ZodNumber;
    text: z.ZodString;
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
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"request.assigned">;
    id: z.ZodString;
    assignee: z.ZodNullable<z.ZodString>;
    ttlMs: z.ZodExactOptional<z.ZodNumber>;
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
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"grant.created">;
    grant: z.ZodObject<{
        id: z.ZodString;
        effect: z.ZodEnum<{
            allow: "allow";
            deny: "deny";
        }>;
        scope: z.ZodExactOptional<z.ZodEnum<{
            agent: "agent";
            run: "run";
            tenant: "tenant";
            thread: "thread";
        }>>;
        run: z.ZodString;
        agent: z.ZodString;
        tool: z.ZodString;
        definition: z.ZodString;
        conversation: z.ZodExactOptional<z.ZodString>;
        args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
        uses: z.ZodExactOptional<z.ZodNumber>;
        cap: z.ZodExactOptional<z.ZodObject<{
            field: z.ZodString;
            max: z.ZodNumber;
        }, z.core.$strict>>;
        ttlMs: z.ZodExactOptional<z.ZodNumber>;
        delayMs: z.ZodExactOptional<z.ZodNumber>;
        message: z.ZodExactOptional<z.ZodString>;
        request: z.ZodString;
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
    }, z.core.$strip>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"grant.revoked">;
    id: z.ZodString;
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
    reason: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"call.released">;
    call: z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>;
    digest: z.ZodString;
    tool: z.ZodExactOptional<z.ZodString>;
    definition: z.ZodExactOptional<z.ZodString>;
    args: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    asRun: z.ZodExactOptional<z.ZodLiteral<true>>;
    argsInput: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
    facts: z.ZodExactOptional<z.ZodObject<{
        preview: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        previewCompare: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        preconditions: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    }, z.core.$strip>>;
    policies: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
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
    }, z.core.$strip>>>;
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
    request: z.ZodExactOptional<z.ZodString>;
    amount: z.ZodExactOptional<z.ZodNumber>;
    delayMs: z.ZodExactOptional<z.ZodNumber>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"call.started">;
    call: z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>;
    attempt: z.ZodNumber;
    policies: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
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
    }, z.core.$strip>>>;
    resumable: z.ZodExactOptional<z.ZodLiteral<true>>;
    handedOver: z.ZodExactOptional<z.ZodString>;
    frame: z.ZodExactOptional<z.ZodObject<{
        agent: z.ZodObject<{
            id: z.ZodString;
            fingerprint: z.ZodExactOptional<z.ZodString>;
            version: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>;
        input: z.ZodArray<z.ZodObject<{
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
        }, z.core.$strip>>;
        maxTurns: z.ZodNullable<z.ZodNumber>;
        context: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"step.started">;
    call: z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>;
    name: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"step.finished">;
    call: z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>;
    name: z.ZodString;
    value: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"call.finished">;
    call: z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>;
    attempt: z.ZodNumber;
    result: z.ZodObject<{
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
        data: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        isError: z.ZodExactOptional<z.ZodBoolean>;
    }, z.core.$strip>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"call.refused">;
    call: z.ZodType<CallKey, unknown, z.core.$ZodTypeInternals<CallKey, unknown>>;
    cause: z.ZodEnum<{
        aborted: "aborted";
        cancelled: "cancelled";
        denied: "denied";
        expired: "expired";
        invalid: "invalid";
        rejected: "rejected";
        responded: "responded";
        superseded: "superseded";
        unknown: "unknown";
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
    policies: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
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
    }, z.core.$strip>>>;
    result: z.ZodObject<{
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
        data: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        isError: z.ZodExactOptional<z.ZodBoolean>;
    }, z.core.$strip>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"agent.changed">;
    frame: z.ZodString;
    agent: z.ZodObject<{
        id: z.ZodString;
        fingerprint: z.ZodExactOptional<z.ZodString>;
        version: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>;
    shown: z.ZodExactOptional<z.ZodArray<z.ZodUnion<readonly [z.ZodObject<{
        from: z.ZodNumber;
        to: z.ZodNumber;
    }, z.core.$strip>, z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    }, z.core.$strip>, z.ZodObject<{
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
    }, z.core.$strip>, z.ZodObject<{
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
        data: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        isError: z.ZodExactOptional<z.ZodBoolean>;
        role: z.ZodLiteral<"tool">;
        toolCallId: z.ZodString;
        toolName: z.ZodString;
    }, z.core.$strip>], "role">]>>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"gate.passed">;
    run: z.ZodString;
    frame: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"run.settled">;
    run: z.ZodString;
    status: z.ZodEnum<{
        aborted: "aborted";
        completed: "completed";
    }>;
    message: z.ZodExactOptional<z.ZodObject<{
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
    }, z.core.$strip>>;
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
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"session.written">;
    run: z.ZodString;
    count: z.ZodNumber;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"session.added">;
    items: z.ZodArray<z.ZodIntersection<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    }, z.core.$strip>, z.ZodObject<{
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
    }, z.core.$strip>, z.ZodObject<{
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
        data: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
        isError: z.ZodExactOptional<z.ZodBoolean>;
        role: z.ZodLiteral<"tool">;
        toolCallId: z.ZodString;
        toolName: z.ZodString;
    }, z.core.$strip>], "role">, z.ZodObject<{
        id: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>>;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"session.popped">;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"session.cleared">;
}, z.core.$strip>, z.ZodObject<{
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"erased">;
    entry: z.ZodNumber;
    was: z.ZodString;
    now: z.ZodString;
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
    v: z.ZodLiteral<1>;
    type: z.ZodLiteral<"thread.erased">;
    thread: z.ZodString;
    entries: z.ZodNumber;
    requests: z.ZodNumber;
    erasedAt: z.ZodNumber;
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
}, z.core.$strip>], "type">;

declare const errorCodes: {
    readonly agent_invalid: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly agent_mismatch: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly agent_missing: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly agent_version_missing: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly answer_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly audit_key_missing: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly call_failed: {
        readonly status: 502;
        readonly retryable: false;
    };
    readonly channel_busy: {
        readonly status: 409;
        readonly retryable: true;
    };
    readonly channel_missing: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly context_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly decision_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly decision_not_allowed: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly decision_pending: {
        readonly status: 409;
        readonly retryable: true;
    };
    readonly decision_unbound: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly driver_conflict: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly durability_not_guaranteed: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly edit_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly edit_not_judged: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly facts_unstable: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly grant_not_found: {
        readonly status: 404;
        readonly retryable: false;
    };
    readonly guardrail_failed: {
        readonly status: 500;
        readonly retryable: true;
    };
    readonly guardrail_tripped: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly hil_content_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly hil_interrupt_cancelled: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly hil_reply_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly hil_stream_exists: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly hil_stream_missing: {
        readonly status: 404;
        readonly retryable: false;
    };
    readonly hil_stream_taken_over: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly hitl_aborted: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly hitl_cancelled: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly hitl_detached: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly hitl_timed_out: {
        readonly status: 408;
        readonly retryable: false;
    };
    readonly idempotency_conflict: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly idempotency_key_reused: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly input_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly journal_invalid: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly limit_exceeded: {
        readonly status: 413;
        readonly retryable: false;
    };
    readonly max_rejections_exceeded: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly max_turns_exceeded: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly mcp_server_failed: {
        readonly status: 502;
        readonly retryable: true;
    };
    readonly mcp_server_invalid: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly messages_not_loaded: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly model_failed: {
        readonly status: 502;
        readonly retryable: true;
    };
    readonly model_response_invalid: {
        readonly status: 502;
        readonly retryable: true;
    };
    readonly no_pending_request: {
        readonly status: 404;
        readonly retryable: false;
    };
    readonly not_released: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly outcome_unknown: {
        readonly status: 502;
        readonly retryable: false;
    };
    readonly peer_missing: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly policy_failed: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly policy_invalid: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly question_ambiguous: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly question_not_awaited: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly queue_failed: {
        readonly status: 503;
        readonly retryable: true;
    };
    readonly remote_tool_failed: {
        readonly status: 502;
        readonly retryable: false;
    };
    readonly request_changed: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly request_taken: {
        readonly status: 409;
        readonly retryable: true;
    };
    readonly reviewer_not_allowed: {
        readonly status: 403;
        readonly retryable: false;
    };
    readonly script_exhausted: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly script_unconsumed: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly session_failed: {
        readonly status: 503;
        readonly retryable: true;
    };
    readonly stale_answer: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly state_diverged: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly state_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly state_signature_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly store_behind: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly store_busy: {
        readonly status: 503;
        readonly retryable: true;
    };
    readonly store_closed: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly store_contended: {
        readonly status: 503;
        readonly retryable: true;
    };
    readonly store_corrupt: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly store_failed: {
        readonly status: 500;
        readonly retryable: true;
    };
    readonly store_missing: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly store_newer: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly store_outdated: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly streams_closed: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly streams_failed: {
        readonly status: 503;
        readonly retryable: true;
    };
    readonly tenant_id_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly thread_busy: {
        readonly status: 409;
        readonly retryable: true;
    };
    readonly thread_closed: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly thread_erased: {
        readonly status: 410;
        readonly retryable: false;
    };
    readonly thread_id_invalid: {
        readonly status: 400;
        readonly retryable: false;
    };
    readonly thread_not_found: {
        readonly status: 404;
        readonly retryable: false;
    };
    readonly thread_open: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly thread_paused: {
        readonly status: 409;
        readonly retryable: false;
    };
    readonly thread_reentered: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly tool_failed: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly tool_invalid: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly tool_missing: {
        readonly status: 500;
        readonly retryable: false;
    };
    readonly version_unavailable: {
        readonly status: 409;
        readonly retryable: false;
    };
};

declare const grantScopes: readonly ['run', 'thread', 'agent', 'tenant'];

declare const guardrailResult: () => z.ZodObject<{
    guardrail: z.ZodObject<{
        type: z.ZodEnum<{
            input: "input";
            output: "output";
        }>;
        name: z.ZodString;
    }, z.core.$strip>;
    agent: z.ZodString;
    output: z.ZodObject<{
        tripwireTriggered: z.ZodBoolean;
        outputInfo: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    }, z.core.$strip>;
}, z.core.$strip>;

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

declare const interruptContent: () => z.ZodObject<{
    source: z.ZodLiteral<"agent_tool_call">;
    body: z.ZodObject<{
        tool_name: z.ZodString;
        type: z.ZodString;
        tool_exec_uuid: z.ZodString;
        detail: z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>;
    }, z.core.$loose>;
}, z.core.$strip>;

declare function listRequests(store: RequestSource & ThreadSource, query?: {
    status?: RequestStatus;
    threadId?: string;
    tool?: string;
    agent?: string;
    assignee?: string;
    limit?: number;
    cursor?: string;
}): Promise<{
    requests: HitlRequest[];
    next?: string;
}>;

declare const onTimeouts: readonly ['reject', 'escalate', 'keep', 'allow'];

declare const operation: () => z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"create_file">;
    path: z.ZodString;
    diff: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"update_file">;
    path: z.ZodString;
    diff: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"delete_file">;
    path: z.ZodString;
}, z.core.$strip>], "type">;

declare const output: () => z.ZodObject<{
    stdout: z.ZodString;
    stderr: z.ZodString;
    outcome: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"exit">;
        exitCode: z.ZodNullable<z.ZodNumber>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"timeout">;
    }, z.core.$strip>], "type">;
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

declare const question: () => z.ZodObject<{
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
}, z.core.$strip>;

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

declare const result: () => z.ZodObject<{
    output: z.ZodArray<z.ZodObject<{
        stdout: z.ZodString;
        stderr: z.ZodString;
        outcome: z.ZodDiscriminatedUnion<[z.ZodObject<{
            type: z.ZodLiteral<"exit">;
            exitCode: z.ZodNullable<z.ZodNumber>;
        }, z.core.$strip>, z.ZodObject<{
            type: z.ZodLiteral<"timeout">;
        }, z.core.$strip>], "type">;
    }, z.core.$strip>>;
    maxOutputLength: z.ZodExactOptional<z.ZodInt>;
}, z.core.$strip>;

declare const risks: readonly ['low', 'medium', 'high'];

declare const toolCall: () => z.ZodObject<{
    id: z.ZodString;
    name: z.ZodString;
    args: z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>;
    argsText: z.ZodExactOptional<z.ZodString>;
    providerData: z.ZodExactOptional<z.ZodType<JsonObject, unknown, z.core.$ZodTypeInternals<JsonObject, unknown>>>;
}, z.core.$strip>;

declare const toolResult: () => z.ZodObject<{
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
    data: z.ZodExactOptional<z.ZodType<JsonValue, unknown, z.core.$ZodTypeInternals<JsonValue, unknown>>>;
    isError: z.ZodExactOptional<z.ZodBoolean>;
}, z.core.$strip>;

declare const usage: () => z.ZodObject<{
    requests: z.ZodNumber;
    inputTokens: z.ZodNumber;
    outputTokens: z.ZodNumber;
    totalTokens: z.ZodNumber;
}, z.core.$strip>;
