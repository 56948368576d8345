// holdpoint/openai-agents: 5 exports. Written by `npm run api`; do not edit.

import type { Actor, Decision, HitlRequest, JsonObject } from 'holdpoint'
import type { Gate } from 'holdpoint/gate'

export type AnyAgent = Agent<any, any>;

export interface KeptRun {
    threadId: string;
    state: string;
}

export interface OpenaiGate {
    agent<TAgent extends AnyAgent>(agent: TAgent): TAgent;
    run<TAgent extends AnyAgent, TContext = undefined>(agent: TAgent, input: string | AgentInputItem[] | RunState<TContext, TAgent>, options?: NonStreamRunOptions<TContext, TAgent>): Promise<RunResult<TContext, TAgent>>;
    resume<TAgent extends AnyAgent, TContext = undefined>(agent: TAgent, options?: NonStreamRunOptions<TContext, TAgent>): Promise<RunResult<TContext, TAgent> | undefined>;
    keep(result: {
        state: {
            toString(): string;
        };
        interruptions?: readonly unknown[];
    }): Promise<void>;
    request(interruption: RunToolApprovalItem): Promise<HitlRequest | undefined>;
    decide(interruption: RunToolApprovalItem, decision: Decision, options: {
        by: Actor;
    }): Promise<HitlRequest>;
}

export interface OpenaiGateOptions {
    threadId: string;
    principal?: string;
    context?: (runContext: RunContext<unknown>) => JsonObject | undefined;
    ungated?: readonly string[];
    runner?: Runner;
}

export declare function openaiGate(gate: Gate, options: OpenaiGateOptions): OpenaiGate;
