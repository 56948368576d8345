import type { JsonObject, JsonValue } from './json.ts'
import type { AssistantMessage, Message, ToolResult } from './message.ts'
import type { HitlRequest } from './request.ts'

/** What happens to requests. */
export type HitlEvent =
  | { type: 'hitl_request'; request: HitlRequest }
  /** The one terminal event of a request: answered, cancelled or timed out. */
  | { type: 'hitl_answer'; questionId: string; answer: JsonValue; cancelled: boolean; timedOut: boolean }
  /** After the pause is stored, before the waiter gets `HitlDetached`. */
  | { type: 'agent_suspended'; pendingRequest: HitlRequest }
  | { type: 'agent_aborted'; reason: string }

/** What happens in the loop. */
export type LoopEvent =
  | { type: 'agent_start'; runId: string; input: Message[] }
  | { type: 'turn_start'; turn: number }
  | { type: 'message'; message: AssistantMessage }
  | { type: 'tool_start'; toolCallId: string; toolName: string; args: JsonObject; attempt: number }
  | { type: 'tool_end'; toolCallId: string; toolName: string; result: ToolResult; refused?: string }
  | { type: 'turn_end'; turn: number }
  | { type: 'agent_end'; runId: string; status: 'completed' | 'aborted' }

/** A piece of a model's answer as it comes. */
export type LivePart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call'; call: { id?: string; name: string; args?: JsonObject; argsText?: string } }

/** What is told while it happens and never stored. `path` is the agents' ids from the root to the one whose model answers. */
export type LiveEvent = { type: 'model_part'; path: string[]; turn: number; part: LivePart }

/** An event of a thread. `seq` grows; `replayed` marks what happened before this process took part. */
export type AgentEvent = (HitlEvent | LoopEvent | LiveEvent) & { seq: number; replayed: boolean }
