// holdpoint/langchain: 9 exports. Written by `npm run api`; do not edit.

import type { Actor, Decision, DecisionType, HitlRequest, JsonObject } from 'holdpoint'
import type { Gate } from 'holdpoint/gate'

export type FromRuntime<T> = (runtime: Runtime<unknown>) => T | Promise<T>;

export type HoldpointMiddleware = AgentMiddleware;

export interface HoldpointMiddlewareOptions {
    gate: Gate;
    interruptOn?: Readonly<Record<string, boolean | InterruptRule>>;
    descriptionPrefix?: string;
    decisions?: 'batch' | 'independent';
    case?: 'camel' | 'snake';
    by?: FromRuntime<Actor | undefined>;
    threadId?: FromRuntime<string>;
    principal?: FromRuntime<string | undefined>;
    context?: FromRuntime<JsonObject | undefined>;
    tools?: readonly {
        name: string;
    }[];
    ungated?: readonly string[];
}

export interface HumanInterrupt {
    action_request: {
        action: string;
        args: JsonObject;
    };
    config: {
        allow_ignore: boolean;
        allow_respond: boolean;
        allow_edit: boolean;
        allow_accept: boolean;
    };
    description?: string;
}

export interface HumanResponse {
    type: 'accept' | 'ignore' | 'response' | 'edit';
    args?: unknown;
}

export interface InterruptRule {
    allowedDecisions?: readonly DecisionType[];
    description?: string | ((toolCall: ToolCall, state: State, runtime: Runtime<unknown>) => string | Promise<string>);
    argsSchema?: Record<string, unknown>;
    when?: (request: {
        toolCall: ToolCall;
        tool: undefined;
        state: State;
        runtime: Runtime<unknown>;
    }) => boolean | Promise<boolean>;
}

export declare function fromHumanResponse(answer: HumanResponse | readonly HumanResponse[], request: Pick<HitlRequest, 'toolName'>): Decision;

export declare function holdpointMiddleware(options: HoldpointMiddlewareOptions): HoldpointMiddleware;

export declare function toHumanInterrupt(request: HitlRequest): HumanInterrupt;

// Not exported, and part of the declarations above.

interface State {
    messages: BaseMessage[];
}
