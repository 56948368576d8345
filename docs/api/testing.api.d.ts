// holdpoint/testing: 57 exports. Written by `npm run api`; do not edit.

import type { Actor, Answers, AuditKey, Channel, Decision, HitlRequest, HoldpointError, JsonObject, JsonValue, Message, Model, Question, Store, Streams, Usage } from 'holdpoint'
import type { Asked, Clock, ConfirmOptions, HostedMcpServer, ModelApprovalRequest, ModelToolCall, Presentation, Queue, WaitOptions } from 'holdpoint/ports'

export interface AdapterCase {
    readonly name: string;
    readonly guarantee: AdapterGuarantee;
    readonly answer?: Decision['type'];
    run(harness: AdapterHarness): Promise<void>;
}

export type AdapterGuarantee = 'replayed approval' | 'changed arguments' | 'forged call' | 'undecided resume' | 'decision elsewhere' | 'double click' | 'crash' | 'edit' | 'reused call id' | 'equal calls' | 'store down' | 'free call';

export interface AdapterHarness {
    start(setup: HostSetup): Promise<AdapterHost>;
    openStore?(clock?: Clock): Store;
    readonly answers?: readonly Decision['type'][];
    readonly skips?: readonly Skip[];
}

export interface AdapterHost {
    call(calls: readonly HostCall[]): Promise<HostTurn>;
    resume(saved: JsonValue, answers?: readonly HostAnswer[]): Promise<HostTurn>;
    tamper(saved: JsonValue, callId: string, args: JsonObject): JsonValue | Promise<JsonValue>;
    forge(calls: readonly HostCall[]): JsonValue | Promise<JsonValue>;
    close?(): Promise<void>;
}

export interface BrokenStore {
    readonly name: string;
    readonly rejectedBy: readonly string[];
    harness(): StoreHarness;
}

export interface BrokenStreams {
    readonly name: string;
    readonly rejectedBy: readonly string[];
    harness(): StreamsHarness;
}

export interface ChannelCase {
    readonly name: string;
    readonly guarantee: ChannelGuarantee;
    run(harness: ChannelHarness): Promise<void>;
}

export type ChannelGuarantee = 'C1' | 'C2' | 'C3' | 'C4' | 'C5';

export interface ChannelHarness {
    create(options?: {
        defaultTimeoutSeconds?: number | null;
    }): Promise<OpenChannel>;
    readonly skips?: readonly Skip[];
}

export interface ConformanceReport {
    passed: string[];
    failed: {
        name: string;
        error: unknown;
    }[];
    skipped: {
        name: string;
        reason: string;
    }[];
}

export type CrashPoint = (name: string) => void;

export interface FakeClock extends Clock {
    advance(ms: number): void;
    set(ms: number): void;
    after(ms: number, act: () => void): () => void;
    readonly waiting: number;
}

export type Guarantee = ('G1' | 'G2' | 'G4' | 'G9') | ('S1' | 'S2' | 'S3' | 'S4' | 'S5' | 'S6' | 'S7' | 'S8' | 'S9') | ('O1' | 'O2' | 'O3') | ('R1' | 'R2' | 'R3') | ('W1' | 'W2' | 'W3') | ('E1' | 'E2' | 'E3') | ('C1' | 'C2' | 'C3' | 'C4' | 'C5' | 'C6');

export interface HostAnswer {
    readonly callId: string;
    readonly decision: Decision;
}

export interface HostCall {
    readonly id: string;
    readonly toolName: string;
    readonly args: JsonObject;
}

export type HostCallState =
{
    readonly id: string;
    readonly status: 'waiting';
}
 | {
    readonly id: string;
    readonly status: 'done';
    readonly result: JsonValue;
}
 | {
    readonly id: string;
    readonly status: 'refused';
    readonly message: string;
};

export interface HostSetup {
    readonly store: Store;
    readonly conversation: string;
    readonly held: readonly string[];
    readonly tools: readonly HostTool[];
    readonly reviewer: Actor;
}

export interface HostTool {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
    run(args: JsonObject): Promise<JsonValue>;
}

export interface HostTurn {
    readonly calls: readonly HostCallState[];
    readonly saved: JsonValue;
}

export declare class NoopChannel extends ScriptedChannel {
    constructor();
    protected next(request: HitlRequest): Promise<unknown>;
}

export interface OpenChannel {
    readonly channel: Channel;
    close?(): Promise<void>;
}

export interface QueueCase {
    readonly name: string;
    readonly guarantee: QueueGuarantee;
    run(harness: QueueHarness): Promise<void>;
}

export type QueueGuarantee = 'Q1' | 'Q2' | 'Q3' | 'Q4' | 'Q5' | 'Q6' | 'Q7';

export interface QueueHarness {
    create(): Promise<Queue>;
    reopen?(queue: Queue): Promise<Queue>;
    takeAndDie?(queue: Queue, route: string): Promise<void>;
    interrupt?(queue: Queue): Promise<() => Promise<void>>;
    readonly timeoutMs?: number;
    readonly patienceMs?: number;
    readonly skips?: readonly Skip[];
}

export interface RecordedRequest {
    instructions?: string;
    messages: Message[];
    tools: {
        name: string;
        description: string;
        parameters: JsonObject;
    }[];
    hostedTools?: HostedMcpServer[];
    outputSchema?: JsonObject;
}

export declare class ScriptExhausted extends HoldpointError {
    constructor(steps: number);
}

export type ScriptStep = string | {
    text?: string;
    toolCalls?: ModelToolCall[];
    approvalRequests?: ModelApprovalRequest[];
    usage?: Partial<Usage>;
} | Error | ((request: RecordedRequest) => ScriptStep | Promise<ScriptStep>);

export declare class ScriptUnconsumed extends HoldpointError {
    constructor(played: number, steps: number);
}

export type ScriptedAnswer = JsonValue | Decision | Answers | ((request: HitlRequest) => unknown);

export declare class ScriptedChannel implements Channel {
    readonly durable: boolean;
    readonly allowInsideCustomTool = true;
    readonly defaultTimeoutSeconds: null;
    constructor(options: {
        answers: readonly ScriptedAnswer[];
    });
    get history(): readonly HitlRequest[];
    get pending(): undefined;
    confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>;
    approve(call: {
        toolName: string;
        toolCallId: string;
        args: JsonObject;
    }): Promise<Decision>;
    ask(questions: Question[], _options?: WaitOptions): Promise<Answers>;
    wait(request: HitlRequest, _options?: WaitOptions): Promise<JsonValue>;
    answer(questionId: string): Promise<void>;
    cancel(questionId: string): Promise<void>;
    subscribe(): () => void;
    observe(): () => void;
    present(asked: Asked): Presentation;
    protected next(request: HitlRequest): Promise<unknown>;
}

export interface ScriptedModel extends Model {
    readonly requests: readonly RecordedRequest[];
    assertConsumed(): void;
}

export interface Skip {
    readonly reason: string;
    readonly cases: readonly string[];
}

export interface StoreCase {
    readonly name: string;
    readonly guarantee: Guarantee;
    readonly tampers?: true;
    run(harness: StoreHarness): Promise<void>;
}

export interface StoreHarness {
    create(options?: HarnessOptions): Promise<Store>;
    reopen?(store: Store, options?: HarnessOptions): Promise<Store>;
    tamper?(store: Store, tampering: Tampering): Promise<void>;
    readonly clock: FakeClock;
    readonly skips?: readonly Skip[];
}

export interface StreamsCase {
    readonly name: string;
    readonly guarantee: StreamsGuarantee;
    run(harness: StreamsHarness): Promise<void>;
}

export type StreamsGuarantee = 'T1' | 'T2' | 'T3' | 'T4' | 'T5' | 'T6' | 'T7' | 'T8' | 'T9' | 'T10';

export interface StreamsHarness {
    create(): Promise<Streams>;
    reopen?(streams: Streams): Promise<Streams>;
    spoil?(streams: Streams, session: string): Promise<void>;
    readonly skips?: readonly Skip[];
}

export declare const adapterConformance: readonly AdapterCase[];

export declare function adapterSkipReasons(harness: Pick<AdapterHarness, 'answers' | 'skips'>): ReadonlyMap<string, string>;

export declare const brokenStores: readonly BrokenStore[];

export declare const brokenStreams: readonly BrokenStreams[];

export declare const channelConformance: readonly ChannelCase[];

export declare function channelSkipReasons({ skips }: Pick<ChannelHarness, 'skips'>): ReadonlyMap<string, string>;

export declare function fakeClock(start?: number): FakeClock;

export declare function queueSkipReasons({ skips }: Pick<QueueHarness, 'skips'>): ReadonlyMap<string, string>;

export declare const queueSuite: readonly QueueCase[];

export declare function runAdapterConformance(harness: AdapterHarness): Promise<ConformanceReport>;

export declare function runChannelConformance(harness: ChannelHarness): Promise<ConformanceReport>;

export declare function runQueueSuite(harness: QueueHarness): Promise<ConformanceReport>;

export declare function runStoreConformance(harness: StoreHarness): Promise<ConformanceReport>;

export declare function runStreamsConformance(harness: StreamsHarness): Promise<ConformanceReport>;

export declare function scriptedModel(script: readonly ScriptStep[], options?: {
    stream?: boolean;
}): ScriptedModel;

export declare function skipReasons({ skips }: Pick<StoreHarness, 'skips'>): ReadonlyMap<string, string>;

export declare const storeConformance: readonly StoreCase[];

export declare const streamsConformance: readonly StreamsCase[];

export declare function streamsSkipReasons({ skips }: Pick<StreamsHarness, 'skips'>): ReadonlyMap<string, string>;

export declare function withCrashPoints(store: Store, reach: CrashPoint): Store;

// Not exported, and part of the declarations above.

type AuditKeyOption = string | AuditKey | readonly AuditKey[];

interface HarnessOptions {
    auditKey?: AuditKeyOption;
}

type Tampering = {
    threadId: string;
} & ({
    op: 'delete';
    seq: number;
} | {
    op: 'body';
    seq: number;
    body: string;
    salt?: Uint8Array;
} | {
    op: 'time';
    seq: number;
} | {
    op: 'swap';
    seqs: readonly [number, number];
}
 | {
    op: 'cut';
    version: number;
}
 | {
    op: 'unsign';
}
 | {
    op: 'snapshot';
    body: string | null;
});
