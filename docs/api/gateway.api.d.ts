// holdpoint/gateway: 19 exports. Written by `npm run api`; do not edit.

import type { InputGuardrail, Middleware, Model, OutputGuardrail, RunContext, Store, Streams, Tool, ToolErrorFormatter } from 'holdpoint'
import type { Gate } from 'holdpoint/gate'

export interface Auth {
    authenticate(request: AuthRequest): Promise<AuthOutcome>;
}

export type AuthOutcome = {
    ok: true;
    caller: Caller;
} | {
    ok: false;
    detail: string;
};

export interface AuthRequest {
    header(name: string): string | undefined;
}

export interface Caller {
    readonly sub: string;
    readonly tenant: string;
    readonly roles: readonly string[];
    readonly groups: readonly string[];
    readonly expiresAt?: number;
    readonly via?: 'inbox' | 'link' | 'api';
    readonly session?: string;
}

export type Gateway = Hono & {
    stop(): void;
    signIn(request: Request, person: SignInPerson): Promise<string>;
    signInLink(url: string, person: SignInPerson): Promise<string>;
};

export interface GatewayOptions {
    streams?: Streams;
    auth: Auth;
    store?: Store;
    agents?: readonly AgentDefinition[];
    gate?: (host: {
        readonly tenant: string;
        readonly source: string;
    }) => Gate;
    deps?: unknown;
    undoSeconds?: number;
    previewLimit?: {
        burst?: number;
        perSecond?: number;
    };
    actForTenant?: readonly string[];
    basePath?: string;
    maxBodyBytes?: number;
    bodyTimeoutSeconds?: number;
    maxPollSeconds?: number;
    maxWaitsPerCaller?: number;
    maxWaits?: number;
    writeLimit?: {
        burst?: number;
        perSecond?: number;
    };
    maxInboxSessions?: number;
    heartbeatSeconds?: number;
    cors?: {
        origins: readonly string[];
    };
    origins?: readonly string[];
    inbox?: boolean;
    addressHeader?: string;
    websocket?: WebSocketOptions;
    metricsToken?: string;
    operatorTenant?: string;
    webhooks?: WebhookOptions | false;
    retention?: RetentionOptions;
    logger?: Logger;
}

export interface GatewayServer extends AsyncDisposable {
    readonly url: string;
    readonly port: number;
    close(): Promise<void>;
}

export interface JwtAuthOptions extends KeyOptions {
    issuer?: string | string[];
    audience?: string | string[];
    algorithms?: string[];
    clockToleranceSeconds?: number;
    cacheSize?: number;
}

export interface KeyOptions {
    secret?: string | Uint8Array;
    publicKey?: string | JsonWebKey | KeyObject;
    jwksUrl?: string | URL;
    allowHttp?: boolean;
}

export interface Logger {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
}

export interface ServeOptions {
    port?: number;
    host?: string;
    backlog?: number;
    graceSeconds?: number;
    sweepEveryMs?: number | false;
}

export interface Person {
    readonly sub: string;
    readonly tenant: string;
    readonly roles: readonly string[];
    readonly groups?: readonly string[] | undefined;
    readonly expiresAt?: number | undefined;
    readonly link?: true | undefined;
}

export interface WebSocketOptions {
    resendSeconds?: number;
    initTimeoutSeconds?: number;
    pingSeconds?: number;
}

export interface WebSocketPlace {
    path?: string;
    alone?: boolean;
}

export interface WebSockets {
    close(): void;
}

export declare function acceptWebSockets(gateway: Gateway, server: Server, options?: WebSocketPlace): WebSockets;

export declare function createGateway(options: GatewayOptions): Gateway;

export declare function jwtAuth(options: JwtAuthOptions): Auth;

export declare function serve(gateway: Gateway, options?: ServeOptions): Promise<GatewayServer>;

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

type Instructions<TContext = AnyContext> = string | ((runContext: RunContext<TContext>) => string | undefined | Promise<string | undefined>);

type OnPolicyChange = 'keep' | 'ask' | 'deny';

interface RetentionOptions {
    olderThan: string;
}

interface WebhookOptions {
    allowNetworks?: readonly string[];
    titles?: boolean;
    inboxUrl?: string;
    timeoutSeconds?: number;
    lookup?: (hostname: string) => Promise<readonly {
        address: string;
        family: number;
    }[]>;
}
