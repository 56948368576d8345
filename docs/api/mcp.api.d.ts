// holdpoint/mcp: 5 exports. Written by `npm run api`; do not edit.

import type { Tool } from 'holdpoint'

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

export type RequireApproval = 'always' | 'never' | {
    readonly always?: ToolNames;
    readonly never?: ToolNames;
} | {
    readonly [tool: string]: 'always' | 'never';
};

export declare function mcpServer(options: McpServerOptions): McpServerHandle;

// Not exported, and part of the declarations above.

type ToolNames = readonly string[] | {
    readonly toolNames: readonly string[];
};

type UnknownOutcomePolicy = 'ask' | 'retry' | 'fail';
