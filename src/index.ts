export { CheckpointedChannel } from './channel/checkpointed.ts'
export { InMemoryChannel } from './channel/in-memory.ts'
export { StreamChannel } from './channel/stream.ts'
export type { StandingGrant } from './core/views/grant-view.ts'
export type { Answer } from './desk/answer/answer-shape.ts'
export type { Desk } from './desk/desk.ts'
export { type Sweep, sweep } from './desk/expiry/sweep.ts'
export { createSweeper, type Sweeper } from './desk/expiry/sweeper.ts'
export { openDesk } from './desk/open-desk.ts'
export { type Erased, type EraseOptions, erase } from './erasure/erase.ts'
export { type ChoiceForm, choiceForm } from './hil/choice-form.ts'
export { interrupt } from './hil/interrupt.ts'
export { notification } from './hil/notification.ts'
export { HilMessageStreamContext } from './hil/stream-context.ts'
export { type ActionRequests, toActionRequests } from './policy/action-requests.ts'
export { definePolicy, shadow } from './policy/define-policy.ts'
export { humanInTheLoop, type ToolRule } from './policy/human-in-the-loop.ts'
export type { Policy, PolicyCall, PolicyVerdict } from './policy/policy.ts'
export type { Channel } from './ports/channel.ts'
export type { Model } from './ports/model.ts'
export type { Session } from './ports/session.ts'
export type { Store } from './ports/store.ts'
export type { Streams } from './ports/streams.ts'
export type { Answers } from './protocol/answer.ts'
export type { AuditKey } from './protocol/chain/audit-key.ts'
export type { Actor, Decision, DecisionType } from './protocol/decision.ts'
export type { Display, DisplayField } from './protocol/display.ts'
export type { GuardrailResult, Usage } from './protocol/entries/entry.ts'
export type { SigningKey } from './protocol/entries/state-text.ts'
export {
  EditInvalid,
  type ErrorCode,
  FactsUnstable,
  GuardrailTripped,
  HilInterruptCancelled,
  HilMsgStreamMissingError,
  HitlAborted,
  HitlCancelled,
  HitlConcurrencyError,
  HitlControlException,
  HitlDetached,
  HitlDurabilityNotGuaranteed,
  HitlError,
  HitlNoPendingRequest,
  HitlStaleAnswer,
  HitlTimedOut,
  HoldpointError,
  ModelFailed,
  RequestChanged,
  StateDiverged,
  StoreFailed,
  ThreadBusy,
  ThreadPaused,
} from './protocol/errors/errors.ts'
export type { AgentEvent, HitlEvent } from './protocol/event.ts'
export type { GrantOptions } from './protocol/grant.ts'
export type { HilInterruptContent, HilReply } from './protocol/hil/hil.ts'
export type { JsonObject, JsonValue } from './protocol/json/json.ts'
export type { BlobRef, Message, Part, ToolCall, ToolResult } from './protocol/message.ts'
export type { HitlRequest, Question, Risk } from './protocol/request.ts'
export type { ContextInput, RunContext } from './protocol/run-context.ts'
export { Agent, type AgentOptions } from './runtime/agent/agent.ts'
export { handoff, withoutToolCalls } from './runtime/agent/handoff.ts'
export { type EditPreview, previewEdit } from './runtime/answers/preview-edit.ts'
export type { ToolsToFinalOutput, ToolUse, ToolUseBehavior } from './runtime/definition/behavior.ts'
export type { Tool, ToolErrorFormatter } from './runtime/definition/definition.ts'
export type {
  InputGuardrail,
  OutputGuardrail,
  ToolInputGuardrail,
  ToolOutputGuardrail,
} from './runtime/definition/guardrails.ts'
export type { Middleware } from './runtime/definition/middleware.ts'
export type { FactsContext, NeedsApproval, OnApproval } from './runtime/definition/tool/approval.ts'
export { jsonSchema } from './runtime/definition/tool/plain-schema.ts'
export { tool } from './runtime/definition/tool/tool.ts'
export type { ToolContext } from './runtime/definition/tool/tool-context.ts'
export type { DisplayOptions } from './runtime/definition/tool/tool-display.ts'
export type { ToolOptions } from './runtime/definition/tool/tool-options.ts'
export { type ToolOutput, toolOutput } from './runtime/definition/tool/tool-output.ts'
export type { RunResult } from './runtime/run/result.ts'
export { type RunOptions, run } from './runtime/run/run.ts'
export type { RunItem } from './runtime/run/run-items.ts'
export { RunState } from './runtime/run/run-state.ts'
export { Runner } from './runtime/run/runner.ts'
export type { StreamedRunResult } from './runtime/run/streamed-result.ts'
export { memorySession } from './runtime/session/memory-session.ts'
export { storeSession } from './runtime/session/store-session.ts'
export type { Thread } from './runtime/thread/thread.ts'
export type { ThreadOptions } from './runtime/thread/thread-options.ts'
export type { ThreadResult } from './runtime/thread/thread-result.ts'
export { memoryStore } from './store/memory/store.ts'
export { memoryStreams } from './streams/memory/streams.ts'
export { applyPatchTool, type PatchEditor, type PatchOperation } from './tools/apply-patch.ts'
export { askUser } from './tools/ask-user.ts'
export { computerTool } from './tools/computer.ts'
export type { Computer, ComputerAction } from './tools/computer-actions.ts'
export { hostedMcpTool } from './tools/hosted-mcp.ts'
export { remoteTool } from './tools/remote-tool.ts'
export { type Shell, type ShellAction, type ShellOutput, shellTool } from './tools/shell.ts'
