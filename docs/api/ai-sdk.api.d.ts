// holdpoint/ai-sdk: 3 exports. Written by `npm run api`; do not edit.

import type { BlobRef, JsonObject, Model } from 'holdpoint'
import type { HostedMcpServer } from 'holdpoint/ports'

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

export declare function aiSdkModel(languageModel: AiSdkLanguageModel, options?: AiSdkModelOptions): Model;

// Not exported, and part of the declarations above.

type ProviderOptions = Record<string, JsonObject>;

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
