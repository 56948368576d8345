// holdpoint/mcp: 13 exports. Written by `npm run api`; do not edit.

import type { Policy, Tool } from 'holdpoint'
import type { Gate } from 'holdpoint/gate'
import type { Auth } from 'holdpoint/gateway'

export interface McpCallContext {
    readonly mcp: {
        readonly server: string;
        readonly tool: string;
        readonly definition: 'pinned' | 'new' | 'changed';
    };
}

export interface McpProxy extends AsyncDisposable {
    connect(transport: Transport, client: {
        principal: string;
    }): Promise<void>;
    stdio(client: {
        principal: string;
        input?: Readable;
        output?: Writable;
    }): Promise<void>;
    fetch(request: Request): Promise<Response>;
    listen(place: {
        port: number;
        host?: string;
    }): Promise<{
        url: string;
        close(): Promise<void>;
    }>;
    pin(): Promise<PinnedTools>;
    close(options?: {
        graceSeconds?: number;
    }): Promise<void>;
}

export interface McpProxyOptions {
    gate: Gate;
    servers: Readonly<Record<string, McpProxyServer>>;
    pins?: string;
    wait?: WaitLadder;
    auth?: Auth;
    origins?: readonly string[];
    idleSeconds?: number;
    maxPrincipals?: number;
    onWarning?(warning: {
        code: string;
        message: string;
    }): void;
}

export type McpProxyServer = Pick<McpServerOptions, 'command' | 'args' | 'env' | 'cwd' | 'stderr' | 'url' | 'headers' | 'transport' | 'connectTimeoutSeconds'> & {
    protocol?: '2025-11-25' | '2026-07-28';
};

export interface McpServerHandle extends AsyncDisposable {
    readonly name: string;
    connect(): Promise<void>;
    tools(): Promise<Tool[]>;
    close(): Promise<void>;
}

export interface McpServerOptions {
    name: string;
    namespace?: string;
    command?: string;
    args?: readonly string[];
    env?: Readonly<Record<string, string>>;
    cwd?: string;
    stderr?: 'inherit' | 'ignore';
    url?: string | URL;
    headers?: Readonly<Record<string, string>>;
    transport?: Transport | (() => Transport | Promise<Transport>);
    requireApproval?: RequireApproval;
    toolFilter?: readonly string[] | ((tool: McpToolInfo) => boolean);
    timeoutSeconds?: number;
    connectTimeoutSeconds?: number;
    onUnknownOutcome?: UnknownOutcomePolicy;
    trustAnnotations?: boolean;
}

export interface McpToolInfo {
    readonly name: string;
    readonly description: string;
    readonly annotations: Readonly<Record<string, unknown>>;
}

export type PinnedTools = Readonly<Record<string, {
    tools: number;
    changed: readonly string[];
}>>;

export type RequireApproval = 'always' | 'never' | {
    readonly always?: ToolNames;
    readonly never?: ToolNames;
} | {
    readonly [tool: string]: 'always' | 'never';
};

export interface WaitLadder {
    holdSeconds?: number;
    progressSeconds?: number;
    elicitation?: boolean;
    inboxUrl?: string;
}

export declare function createMcpProxy(options: McpProxyOptions): McpProxy;

export declare function mcpServer(options: McpServerOptions): McpServerHandle;

export declare function pinnedDefinitions(): Policy;

// Not exported, and part of the declarations above.

type ToolNames = readonly string[] | {
    readonly toolNames: readonly string[];
};

type UnknownOutcomePolicy = 'ask' | 'retry' | 'fail';
