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

/** Where in the run it happens: the agents' ids from the root to the one that it is about. Left out if that is the root itself. */
interface Somewhere {
  path?: string[]
}

/** What happens in the loop. */
export type LoopEvent =
  | { type: 'agent_start'; runId: string; input: Message[] }
  | ({ type: 'turn_start'; turn: number } & Somewhere)
  | ({ type: 'message'; message: AssistantMessage } & Somewhere)
  | ({ type: 'tool_start'; toolCallId: string; toolName: string; args: JsonObject; attempt: number } & Somewhere)
  | ({ type: 'tool_end'; toolCallId: string; toolName: string; result: ToolResult; refused?: string } & Somewhere)
  | ({ type: 'turn_end'; turn: number } & Somewhere)
  | { type: 'agent_end'; runId: string; status: 'completed' | 'aborted' }

/** An event of a thread. `seq` grows by one; `replayed` marks what happened before this process took part. */
export type AgentEvent = (HitlEvent | LoopEvent) & { seq: number; replayed: boolean }
