// holdpoint/ai-sdk: 18 exports. Written by `npm run api`; do not edit.

import type { Actor, Agent, BlobRef, HitlRequest, HoldpointError, JsonObject, JsonValue, Model, RunState, Store, StreamedRunResult, Thread } from 'holdpoint'
import type { Gate } from 'holdpoint/gate'
import type { Auth, Caller } from 'holdpoint/gateway'
import type { HostedMcpServer } from 'holdpoint/ports'

export interface AbsorbedAnswer {
    toolCallId: string;
    toolName: string;
    outcome: 'decided' | 'not-open' | 'refused';
    requestId?: string;
    problem?: string;
}

export interface AiSdkGate<TTools extends object> {
    tools: TTools;
    toolApproval: (question: ApprovalQuestion) => Promise<ApprovalStatus>;
    absorb(messages: readonly UiMessage[], body?: unknown): Promise<AbsorbedAnswer[]>;
    reconcile<T extends UiMessage>(messages: readonly T[], toolOptions?: object): Promise<T[]>;
}

export interface AiSdkGateOptions<TTools extends object> {
    threadId: string;
    by?: Actor;
    tools: TTools;
    principal?: string;
    context?: JsonObject;
    ungated?: readonly (keyof TTools & string)[];
}

export interface AiSdkLanguageModel {
    readonly specificationVersion: string;
    readonly provider: string;
    readonly modelId: string;
    doGenerate(options: never): PromiseLike<object>;
    doStream(options: never): PromiseLike<{
        stream: SdkStream;
    }>;
}

export interface AiSdkModelOptions {
    temperature?: number;
    maxOutputTokens?: number;
    topP?: number;
    topK?: number;
    presencePenalty?: number;
    frequencyPenalty?: number;
    stopSequences?: readonly string[];
    seed?: number;
    toolChoice?: 'auto' | 'none' | 'required' | {
        type: 'tool';
        toolName: string;
    };
    hostedTool?: ToHostedTool;
    providerOptions?: ProviderOptions;
    headers?: Record<string, string>;
    stream?: boolean;
    retries?: number;
    retryDelaySeconds?: number;
    timeoutSeconds?: number;
    systemMessages?: 'first' | 'anywhere';
    readBlob?: (ref: BlobRef) => Promise<Uint8Array>;
    onWarning?: (warning: unknown) => void;
    onRetry?: (retry: {
        attempt: number;
        delayMs: number;
        error: unknown;
    }) => void;
}

export interface ApprovalDescriptor {
    requestId: string;
    version: number;
    allowedDecisions: string[];
    digest?: string;
    description?: string;
    risk?: string;
    expiresAt?: string;
}

export type ApprovalStatus = {
    type: 'not-applicable';
} | {
    type: 'approved' | 'denied' | 'user-approval';
    reason?: string;
};

export interface ChatHandlerOptions {
    agent: Agent;
    store: Store;
    auth: Auth;
    threadId?: (chatId: string, caller: Caller) => string;
    context?: (chatId: string, caller: Caller) => JsonObject | Promise<JsonObject>;
    deps?: unknown;
    onError?: (error: HoldpointError, threadId: string) => void;
    maxBodyBytes?: number;
}

export interface ChatMessage {
    id: string;
    role: 'user' | 'assistant';
    parts: ChatPart[];
}

export type ChatPart = {
    type: 'step-start';
} | {
    type: 'text' | 'reasoning';
    text: string;
    state?: 'done';
} | {
    type: 'file';
    mediaType: string;
    url: string;
    filename?: string;
} | (Call & CallState)
 | {
    type: 'data-holdpoint-ask';
    id: string;
    data: HitlRequest;
};

export interface PageAnswer {
    approvalId?: string;
    toolCallId?: string;
    requestId?: string;
    type?: 'approve' | 'edit' | 'reject' | 'respond';
    args?: JsonObject;
    message?: string;
    answer?: unknown;
}

export type UiMessageChunk = {
    type: 'start';
    messageId?: string;
} | {
    type: 'start-step' | 'finish-step';
} | {
    type: 'finish';
    finishReason: 'stop' | 'tool-calls' | 'other';
} | {
    type: 'error';
    errorText: string;
} | {
    type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
    id: string;
} | {
    type: 'text-delta' | 'reasoning-delta';
    id: string;
    delta: string;
} | {
    type: 'tool-input-available';
    toolCallId: string;
    toolName: string;
    input: JsonValue;
    dynamic: true;
} | {
    type: 'tool-approval-request';
    approvalId: string;
    toolCallId: string;
    approvalDescriptor: ApprovalDescriptor;
} | {
    type: 'tool-output-available';
    toolCallId: string;
    output: JsonValue;
    dynamic: true;
} | {
    type: 'tool-output-error';
    toolCallId: string;
    errorText: string;
    dynamic: true;
} | {
    type: 'tool-output-denied';
    toolCallId: string;
}
 | {
    type: 'data-holdpoint-ask';
    id: string;
    data: HitlRequest;
}
 | {
    type: 'data-holdpoint-problem';
    id: string;
    data: {
        requestId: string;
        problem: string;
    };
};

export interface UiMessageStreamOptions {
    messageId?: string;
}

export declare function aiSdkGate<TTools extends object>(gate: Gate, options: AiSdkGateOptions<TTools>): AiSdkGate<TTools>;

export declare function aiSdkModel(languageModel: AiSdkLanguageModel, options?: AiSdkModelOptions): Model;

export declare function createChatHandler(options: ChatHandlerOptions): (request: Request) => Promise<Response>;

export declare function toUIMessageStream(run: StreamedRunResult<unknown> | RunState | AnyThread, options?: UiMessageStreamOptions): ReadableStream<UiMessageChunk>;

export declare function toUIMessages(state: RunState): ChatMessage[];

// Not exported, and part of the declarations above.

type AnyThread = Pick<Thread<never, unknown>, 'subscribe' | 'nextResult' | 'state'>;

interface ApprovalQuestion {
    toolCall: {
        toolCallId: string;
        toolName: string;
        input: unknown;
    };
    messages?: readonly SdkModelMessage[];
}

interface Call {
    type: 'dynamic-tool';
    toolName: string;
    toolCallId: string;
    input: JsonValue;
}

type CallState = {
    state: 'input-available';
} | {
    state: 'approval-requested';
    approval: {
        id: string;
        descriptor: ApprovalDescriptor;
    };
} | {
    state: 'output-available';
    output: JsonValue;
} | {
    state: 'output-error';
    errorText: string;
} | {
    state: 'output-denied';
    approval: {
        id: string;
        approved: false;
    };
};

type ProviderOptions = Record<string, JsonObject>;

interface SdkModelMessage {
    role: string;
    content: unknown;
}

interface SdkReader {
    read(): Promise<{
        done: boolean;
        value?: unknown;
    }>;
    cancel(reason?: unknown): Promise<void>;
}

interface SdkStream {
    getReader(): SdkReader;
}

type ToHostedTool = (server: HostedMcpServer) => {
    id: string;
    args: object;
};

interface UiMessage {
    id?: string;
    role: string;
    parts?: readonly object[];
}
