// holdpoint/worker: 39 exports. Written by `npm run api`; do not edit.

import type { Actor, ContextInput, InputGuardrail, JsonValue, Message, Middleware, Model, OutputGuardrail, Policy, RunContext, Store, Tool, ToolErrorFormatter } from 'holdpoint'
import type { Clock } from 'holdpoint/ports'

export interface AbortedRun {
    threadId: string;
    by: string | Actor;
    reason: string;
}

export interface BullmqQueueOptions extends EngineTimes {
    connection: RedisConnection;
    prefix?: string;
}

export interface ConsumeOptions {
    routes: readonly string[];
    concurrency: number;
    handle(wakeUp: WakeUp): Promise<void>;
    onError(error: unknown): void;
}

export interface Consumer {
    stop(): Promise<void>;
}

export interface DrivenThread {
    tenantId: string;
    threadId: string;
}

export interface EngineTimes {
    timeoutMs?: number;
    lostAfterMs?: number;
}

export interface EnqueuedRun {
    agent: string | {
        readonly id: string;
        readonly name?: string;
        readonly version?: string | undefined;
    };
    input: Input;
    threadId?: string;
    runId?: string;
    context?: ContextInput;
    maxTurns?: number | null;
    maxRejections?: EntryOptions['maxRejections'];
    toolExecution?: ToolExecution;
    whilePaused?: 'queue' | 'supersede';
}

export interface InProcessQueueOptions {
    clock?: Clock;
}

export interface LiveWorker {
    id: string;
    routes: readonly string[];
    since: number;
    at: number;
}

export interface MovedRun {
    threadId: string;
    to: string | null;
    by: string | Actor;
    reason: string;
    force?: boolean;
}

export interface PostgresQueue extends Queue {
    prepare(): Promise<void>;
}

export interface PostgresQueueOptions extends EngineTimes {
    connectionString: string;
    listenConnectionString?: string;
    schema?: string;
    storeSchema?: string;
}

export interface Queue {
    readonly isRungByStore?: boolean;
    ring(wakeUp: WakeUp, options?: RingOptions): Promise<void>;
    consume(options: ConsumeOptions): Promise<Consumer>;
    close(): Promise<void>;
}

export interface QueueRoleOptions {
    role: string;
    schema?: string;
}

export type RedisConnection = string | PlainOptions | Redis | Cluster;

export interface RingOptions {
    delayMs?: number;
    signal?: AbortSignal;
}

export interface StuckOptions {
    limit?: number;
    overdueMs?: number;
}

export interface StuckThread {
    threadId: string;
    reason: 'dead' | 'no_worker' | 'overdue';
    agent: string | null;
    version: string | null;
    liveVersions: (string | null)[];
    since: number;
    tries: number;
    error?: DeadLetter['error'];
}

export interface ThreadWorker extends AsyncDisposable {
    start(): Promise<void>;
    stop(options?: {
        graceMs?: number;
    }): Promise<void>;
    status(): WorkerStatus;
}

export interface WakeUp {
    tenantId: string;
    threadId: string;
    route: string;
}

export type WorkerEvent =
(DrivenThread & {
    type: 'driven';
    outcome: 'over' | 'waiting' | 'handed_over';
    agent: string;
    version: string | null;
    ms: number;
    lateMs: number;
})
 | (DrivenThread & {
    type: 'passed';
    why: 'busy' | 'not_due' | 'elsewhere';
})
 | (DrivenThread & {
    type: 'failed';
    error: unknown;
    tries: number;
    retryInMs: number;
})
 | (DrivenThread & {
    type: 'dead';
    error: unknown;
    tries: number;
})
 | {
    type: 'relayed';
    rows: number;
    rings: number;
    lagMs: number;
}
 | {
    type: 'swept';
    deadlines: number;
    found: number;
}
 | {
    type: 'erased';
    threads: number;
}
 | {
    type: 'error';
    what: string;
    error: unknown;
};

export type WorkerListener = (event: WorkerEvent) => void;

export interface WorkerMetrics {
    readonly store: Store;
    readonly onEvent: WorkerListener;
    readonly contentType: string;
    text(status: WorkerStatus): Promise<string>;
}

export interface WorkerOptions {
    agents: readonly AgentDefinition<never>[];
    store: Store;
    queue: Queue;
    deps?: unknown;
    concurrency?: number;
    perTenant?: number;
    backlog?: number;
    leaseMs?: number;
    retries?: number;
    policies?: readonly Policy[];
    sweepMs?: number;
    previews?: boolean;
    retention?: RetentionOptions;
    onEvent?: WorkerListener;
    clock?: Clock;
    random?: () => number;
}

export interface WorkerStatus {
    state: 'new' | 'running' | 'draining' | 'stopped';
    id: string;
    routes: readonly string[];
    active: number;
    waiting: number;
    leads: boolean;
}

export declare function abortRun(store: Store, given: AbortedRun): Promise<boolean>;

export declare function bullmqQueue(options: BullmqQueueOptions): Queue;

export declare function createWorker(options: WorkerOptions): ThreadWorker;

export declare function enqueueRun(store: Store, given: EnqueuedRun): Promise<{
    threadId: string;
    runId: string;
}>;

export declare function inProcessQueue(options?: InProcessQueueOptions): Queue;

export declare function liveRoutes(store: Store): Promise<ReadonlySet<string>>;

export declare function liveWorkers(store: Store): Promise<LiveWorker[]>;

export declare function moveRun(store: Store, given: MovedRun): Promise<boolean>;

export declare function postgresQueue(options: PostgresQueueOptions): PostgresQueue;

export declare function queueRoleScript(options: QueueRoleOptions): string;

export declare function redrive(store: Store, threadId: string): Promise<boolean>;

export declare function routeOf(agent: string, version: string | null | undefined): string;

export declare function stuckThreads(store: Store, options?: StuckOptions): Promise<StuckThread[]>;

export declare function workerMetrics(store: Store): WorkerMetrics;

// Not exported, and part of the declarations above.

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

type AnyContext = any;

type DeadLetter = z.infer<ReturnType<typeof deadLetter>>;

interface EntryOptions {
    context?: ContextInput;
    maxTurns?: number | null;
    start: 'cleared' | 'settled';
    preApprovalInputGuardrails?: boolean | undefined;
    maxFunctionToolConcurrency?: number | null | undefined;
    whilePaused?: 'queue' | 'supersede';
    maxRejections?: number | {
        limit: number;
        action: 'end' | 'escalate';
    };
    trace?: SpanLink | undefined;
    history?: readonly Message[];
    inSession?: SessionStart | undefined;
}

type Input = string | InputMessage | readonly InputMessage[];

type InputMessage = z.infer<ReturnType<typeof inputMessage>>;

type Instructions<TContext = AnyContext> = string | ((runContext: RunContext<TContext>) => string | undefined | Promise<string | undefined>);

type OnPolicyChange = 'keep' | 'ask' | 'deny';

type PlainOptions = Omit<RedisOptions, 'replyMapping'>;

interface RetentionOptions {
    olderThan: string;
}

interface SessionStart {
    session: {
        id: string;
    };
    history: Message[];
}

type SpanLink = z.infer<ReturnType<typeof spanLink>>;

interface ToolExecution {
    start?: 'cleared' | 'settled';
    preApprovalInputGuardrails?: boolean;
    maxFunctionToolConcurrency?: number | null;
}

declare const deadLetter: () => z.ZodObject<{
    error: z.ZodObject<{
        code: z.ZodExactOptional<z.ZodString>;
        message: z.ZodString;
    }, z.core.$strip>;
    tries: z.ZodNumber;
    agent: z.ZodString;
    version: z.ZodNullable<z.ZodString>;
    length: z.ZodNumber;
}, z.core.$strip>;

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

declare const spanLink: () => z.ZodObject<{
    traceId: z.ZodString;
    spanId: z.ZodString;
    sampled: z.ZodExactOptional<z.ZodLiteral<false>>;
}, z.core.$strip>;
