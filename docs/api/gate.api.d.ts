// holdpoint/gate: 16 exports. Written by `npm run api`; do not edit.

import type { Actor, Decision, DecisionType, HitlRequest, HoldpointError, JsonObject, JsonValue, Message, Policy, Risk, Store } from 'holdpoint'

export declare class CallFailed extends HoldpointError {
    readonly toolName: string;
    constructor(toolName: string, message: string);
}

export interface ForeignCall {
    threadId: string;
    callId?: string;
    useId?: string;
    toolName: string;
    args: JsonObject;
    definition?: Omit<ToolDefinition, 'name'> & {
        name?: string;
    };
    principal?: string;
    context?: JsonObject;
    preview?: JsonValue;
    preconditions?: JsonValue;
    messages?: readonly Message[];
}

export interface Gate {
    readonly policies: readonly string[];
    judge(calls: readonly ForeignCall[]): Promise<GateState[]>;
    state(call: ForeignCall): Promise<GateState>;
    wait(call: ForeignCall, options?: GateWaitOptions): Promise<GateState>;
    execute<T extends JsonValue>(call: ForeignCall, run: (args: JsonObject, context: GateContext) => Promise<T>, options?: GateExecuteOptions): Promise<T>;
    spend(call: ForeignCall): Promise<GateState>;
    finished(call: ForeignCall, end: {
        result?: JsonValue;
        error?: string;
    }): Promise<void>;
    sweep(): Promise<number>;
    decide(request: RequestRef, decision: Decision, options: {
        by: Actor;
        version?: number;
    }): Promise<HitlRequest>;
    onSettled(wake: (request: HitlRequest, bookmark: JsonValue | Uint8Array | undefined) => Promise<void>): AsyncDisposable;
    bookmark(threadId: string, value: JsonValue | Uint8Array): Promise<void>;
    bookmarked(threadId: string, name?: string): Promise<JsonValue | Uint8Array | undefined>;
    bookmarkOnce(threadId: string, value: JsonValue | Uint8Array, name?: string): Promise<{
        value: JsonValue | Uint8Array;
        isNew: boolean;
    }>;
}

export interface GateCall {
    readonly callKey: CallKey;
    readonly digest: string;
    readonly threadId: string;
}

export interface GateContext {
    readonly idempotencyKey: string;
    readonly approvedBy?: Actor;
    readonly signal: AbortSignal;
}

export interface GateExecuteOptions {
    signal?: AbortSignal;
}

export interface GateOptions {
    store: Store;
    policy: Policy | readonly Policy[];
    source: string;
    tenant?: string;
    agent?: string;
    holdSeconds?: number;
    onUnknownOutcome?: UnknownOutcomePolicy;
    onHandedOver?: 'record' | {
        askAfterSeconds: number;
    };
    attachSeconds?: number;
}

export type GateState =
{
    status: 'free';
    call: GateCall;
}
 | {
    status: 'held';
    request: HitlRequest;
    call: GateCall;
}
 | {
    status: 'released';
    args: JsonObject;
    by: Actor;
    call: GateCall;
}
 | {
    status: 'refused';
    message: string;
    isError: boolean;
}
 | {
    status: 'finished';
    result: JsonValue;
    isError: boolean;
}
 | {
    status: 'unknown';
    request?: HitlRequest;
};

export interface GateWaitOptions {
    signal?: AbortSignal;
    timeoutSeconds?: number;
}

export declare class HoldpointNotReleased extends HoldpointError {
    readonly toolName: string;
    readonly status: string;
    readonly requestId: string | undefined;
    constructor(toolName: string, { status, requestId, message }: {
        status: string;
        requestId?: string;
        message: string;
    });
}

export type HostReview = true | Pick<ReviewOptions, 'allowedDecisions' | 'description' | 'argsSchema'>;

export declare class OutcomeUnknown extends HoldpointError {
    constructor(problem: string, cause?: unknown);
}

export declare function callProblem({ callId, toolName, args }: ForeignCall): string | undefined;

export declare function createGate(options: GateOptions): Gate;

export declare const hostPolicy: Policy;

export declare function pendingRequest(state: GateState): HitlRequest | undefined;

// Not exported, and part of the declarations above.

type Branded<T, B extends string> = T & {
    readonly [brand]: B;
};

type CallKey = Branded<string, 'CallKey'>;

type OnTimeout = (typeof onTimeouts)[number];

type RequestRef = string | Pick<HitlRequest, 'id'>;

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

interface ToolDefinition {
    name: string;
    description: string;
    parameters: JsonObject;
    annotations?: JsonObject;
}

type UnknownOutcomePolicy = 'ask' | 'retry' | 'fail';

declare const onTimeouts: readonly ['reject', 'escalate', 'keep', 'allow'];
