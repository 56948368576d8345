import type { JsonObject, JsonValue } from './json/json.ts'
import type { AssistantMessage, Message, Part, ToolResult } from './message.ts'
import type { HitlRequest } from './request.ts'

/** Events of requests. */
export type HitlEvent =
  | { type: 'hitl_request'; request: HitlRequest }
  /** The one terminal event of a request: answered, cancelled or timed out. */
  | { type: 'hitl_answer'; questionId: string; answer: JsonValue; cancelled: boolean; timedOut: boolean }
  /** Emitted after the pause is stored, before the waiter gets `HitlDetached`. */
  | { type: 'agent_suspended'; pendingRequest: HitlRequest }
  | { type: 'agent_aborted'; reason: string }

/** The position of an event in the tree of agents. */
export interface EventPlace {
  /** The ids of the agents from the root to the one concerned, both included. */
  path: string[]
  /** The number of enclosing nested runs. A hand-off does not change it. */
  depth: number
}

/** Events of the loop. */
export type LoopEvent =
  | { type: 'agent_start'; runId: string; input: Message[] }
  | ({ type: 'turn_start'; turn: number } & EventPlace)
  | ({ type: 'message'; message: AssistantMessage } & EventPlace)
  | ({ type: 'tool_start'; toolCallId: string; toolName: string; args: JsonObject; attempt: number } & EventPlace)
  | ({ type: 'tool_end'; toolCallId: string; toolName: string; result: ToolResult; refused?: string } & EventPlace)
  /** Another agent continues. */
  | ({ type: 'agent_changed'; agent: string } & EventPlace)
  | ({ type: 'turn_end'; turn: number } & EventPlace)
  | { type: 'agent_end'; runId: string; status: 'completed' | 'aborted' }

/** A piece of a model's answer while it arrives. */
export type LivePart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | Extract<Part, { type: 'file' }>
  | { type: 'tool-call'; call: { id?: string; name: string; args?: JsonObject; argsText?: string } }

/** Events that are emitted live and never stored. */
export type LiveEvent = { type: 'model_part'; turn: number; part: LivePart } & EventPlace

/** An event of a thread. `seq` grows. `replayed` marks events from before this process took part. */
export type AgentEvent = (HitlEvent | LoopEvent | LiveEvent) & { seq: number; replayed: boolean }
