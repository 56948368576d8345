// holdpoint/client: 24 exports. Written by `npm run api`; do not edit.

import type { GrantOptions, HilInterruptContent, HilReply, HitlRequest, JsonObject, JsonValue } from 'holdpoint'

export interface BackOffOptions {
    initialMs?: number;
    maxMs?: number;
}

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
    token: string | (() => string | Promise<string>);
    fetch?: typeof globalThis.fetch;
    backoff?: BackOffOptions;
}

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

export type InboxInterrupt = ClientInterrupt & {
    session: string;
};

export type InboxMessage = ClientMessage & {
    session: string;
};

export interface MessagesOptions {
    after?: string;
    signal?: AbortSignal;
}

export interface RemoteCall {
    readonly signal: AbortSignal;
    readonly idempotencyKey: string;
    readonly fencingToken?: number;
    progress(value: JsonValue): void;
}

export type RemoteHandler = (args: any, call: RemoteCall) => unknown;

export type RemoteHandlers = {
    [toolName: string]: RemoteHandler;
};

export interface RespondOptions {
    comment?: string;
    always?: boolean | GrantOptions;
    undoSeconds?: number;
    tries?: number;
    signal?: AbortSignal;
}

export type RespondOutcome = 'answered' | 'unheard' | 'gone' | 'maybe';

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

export declare function createClient(options: ClientOptions): Client;

export declare function requestOf({ content }: ClientInterrupt): HitlRequest | undefined;
