export type { ChannelOptions } from './channel/base.ts'
export { CheckpointedChannel, type CheckpointedChannelOptions } from './channel/checkpointed.ts'
export { InMemoryChannel } from './channel/in-memory.ts'
export { StreamChannel, type StreamChannelOptions } from './channel/stream.ts'
export type { StandingGrant } from './core/grant-view.ts'
export type { Answer } from './desk/answer-shape.ts'
export type { Desk } from './desk/desk.ts'
export type { GrantFilter } from './desk/grants.ts'
export { openDesk } from './desk/open-desk.ts'
export { type Sweep, type SweepOptions, sweep } from './desk/sweep.ts'
export { type Sweeper, type SweeperOptions, startSweeper } from './desk/sweeper.ts'
export { type ChoiceForm, type ChoiceFormOptions, choiceForm } from './hil/choice-form.ts'
export { type InterruptOptions, interrupt, type ReplySchema } from './hil/interrupt.ts'
export { type NotificationOptions, notification } from './hil/notification.ts'
export { HilMessageStreamContext, type StreamContextOptions } from './hil/stream-context.ts'
export { type ActionRequests, type CamelActionRequests, toActionRequests } from './policy/action-requests.ts'
export { definePolicy, type PolicyNames, shadow } from './policy/define-policy.ts'
export { type HumanInTheLoopOptions, humanInTheLoop, type ToolRule } from './policy/human-in-the-loop.ts'
export type { Judge, Policy, PolicyCall, PolicyVerdict, ReviewOptions } from './policy/policy.ts'
export type {
  Asked,
  Channel,
  ChannelObserver,
  ConfirmOptions,
  Presentation,
  WaitEnding,
  WaitOptions,
} from './ports/channel.ts'
export type { Clock } from './ports/clock.ts'
export type { ListenerErrorHandler } from './ports/listeners.ts'
export type {
  HostedMcpServer,
  Model,
  ModelApprovalRequest,
  ModelPart,
  ModelRequest,
  ModelResponse,
  ModelToolCall,
} from './ports/model.ts'
export { type ApprovalResponse, toApprovalResponse } from './ports/provider-approval.ts'
export type { Session, SessionItem } from './ports/session.ts'
export type {
  Append,
  AppendOutcome,
  ChainedEntry,
  Conflict,
  DuePage,
  DueQuery,
  DueRequest,
  GrantChange,
  GrantPage,
  GrantQuery,
  GrantReach,
  GrantRow,
  GrantStatus,
  Lease,
  LeaseChange,
  RequestChange,
  RequestPage,
  RequestQuery,
  RequestRow,
  Store,
  StoredEntry,
  StoredGrant,
  StoredRequest,
  ThreadHead,
  ThreadName,
  ThreadPage,
  ThreadQuery,
  ThreadSlice,
} from './ports/store.ts'
export type {
  QuestionRead,
  ReaderSession,
  ReadOptions,
  ReplyRead,
  SessionFacts,
  SessionsOptions,
  StreamMessage,
  StreamRead,
  Streams,
  WaitForReply,
} from './ports/streams.ts'
export type { Answers } from './protocol/answer.ts'
export type { AuditKey, AuditKeyOption, HeadMac } from './protocol/audit-key.ts'
export type { Actor, Decision, DecisionType } from './protocol/decision.ts'
export type { Usage } from './protocol/entry.ts'
export {
  AgentInvalid,
  AgentMismatch,
  AgentMissing,
  AgentVersionMissing,
  AnswerInvalid,
  AuditKeyMissing,
  ContextInvalid,
  DecisionInvalid,
  DecisionNotAllowed,
  DecisionPending,
  DecisionUnbound,
  EditInvalid,
  EditNotJudged,
  type ErrorCode,
  FactsUnstable,
  GrantNotFound,
  GuardrailFailed,
  type GuardrailKind,
  GuardrailTripped,
  HilContentError,
  HilInterruptCancelled,
  HilMsgStreamMissingError,
  HilReplyInvalid,
  HilStreamExists,
  HilStreamTakenOver,
  HitlAborted,
  HitlCancelled,
  HitlChannelMissing,
  HitlConcurrencyError,
  HitlControlException,
  HitlDetached,
  HitlDurabilityNotGuaranteed,
  HitlError,
  HitlNoPendingRequest,
  HitlStaleAnswer,
  HitlTimedOut,
  HoldpointError,
  IdempotencyKeyReused,
  InputInvalid,
  JournalInvalid,
  LimitExceeded,
  MaxRejectionsExceeded,
  MaxTurnsExceeded,
  McpServerFailed,
  McpServerInvalid,
  ModelFailed,
  ModelResponseInvalid,
  OutcomeUnknown,
  PolicyFailed,
  PolicyInvalid,
  QuestionAmbiguous,
  QuestionNotAwaited,
  RemoteToolFailed,
  RequestChanged,
  ReviewerNotAllowed,
  SessionFailed,
  StateDiverged,
  StateInvalid,
  StateSignatureInvalid,
  StoreBehind,
  StoreBusy,
  StoreClosed,
  StoreContended,
  StoreCorrupt,
  StoreDriverMissing,
  StoreFailed,
  StoreMissing,
  StoreNewer,
  StreamsClosed,
  StreamsFailed,
  TenantIdInvalid,
  ThreadBusy,
  ThreadClosed,
  ThreadIdInvalid,
  ThreadNotFound,
  ThreadPaused,
  ThreadReentered,
  ToolInvalid,
  ToolMissing,
} from './protocol/errors.ts'
export type { AgentEvent, HitlEvent, LiveEvent, LivePart, LoopEvent } from './protocol/event.ts'
export type { ArgPattern, GrantOptions, GrantScope } from './protocol/grant.ts'
export type { HilInterruptContent, HilMessage, HilReply } from './protocol/hil.ts'
export type { JsonObject, JsonValue } from './protocol/json.ts'
export type { AgentLimits, StoreLimits } from './protocol/limits.ts'
export type {
  AssistantMessage,
  BlobRef,
  Content,
  InputMessage,
  Message,
  Part,
  ToolCall,
  ToolResult,
} from './protocol/message.ts'
export type { HitlRequest, OnTimeout, Question, RequestStatus, Risk } from './protocol/request.ts'
export type { ContextFunction, ContextInput, RunContext } from './protocol/run-context.ts'
export type { StandardSchema } from './protocol/standard-schema.ts'
export type { SigningKey, Tracing } from './protocol/state-text.ts'
export { Agent, type AgentOptions } from './runtime/agent/agent.ts'
export type { AgentToolOptions } from './runtime/agent/agent-tool.ts'
export { type HandoffOptions, handoff, withoutToolCalls } from './runtime/agent/handoff.ts'
export type { AnswerBatch, AnswerBinding, AnswerOptions, NamedAnswer } from './runtime/answers/answers.ts'
export { type EditPreview, type ProposedEdit, previewEdit } from './runtime/answers/preview-edit.ts'
export type {
  ApprovalAnswer,
  ApprovalItem,
  FactsContext,
  NeedsApproval,
  OnApproval,
  Preview,
  PreviewCheck,
  UnknownOutcomePolicy,
} from './runtime/definition/approval.ts'
export type {
  HandoffInputFilter,
  HostedTools,
  OnPolicyChange,
  Tool,
  ToolErrorFormatter,
} from './runtime/definition/definition.ts'
export type {
  GuardedCall,
  GuardrailOutcome,
  InputGuardrail,
  OutputGuardrail,
  ToolGuardrailOutcome,
  ToolInputGuardrail,
  ToolOutputGuardrail,
} from './runtime/definition/guardrails.ts'
export type {
  BeforeToolHook,
  Gate,
  Middleware,
  ModelHook,
  ModelView,
  ToolHook,
} from './runtime/definition/middleware.ts'
export { tool } from './runtime/definition/tool.ts'
export type { HoldRequest, ToolContext } from './runtime/definition/tool-context.ts'
export type { ToolOptions } from './runtime/definition/tool-options.ts'
export { type ToolOutput, toolOutput } from './runtime/definition/tool-output.ts'
export type { AgentListener } from './runtime/events/event-source.ts'
export type { Input } from './runtime/run/input.ts'
export type { RunResult } from './runtime/run/result.ts'
export { type RunOptions, run } from './runtime/run/run.ts'
export { type DecisionOptions, type RestoreOptions, RunState, type TextOptions } from './runtime/run/run-state.ts'
export { type AgentVersion, Runner, type RunnerOptions } from './runtime/run/runner.ts'
export { StreamedRunResult } from './runtime/run/streamed-result.ts'
export { memorySession } from './runtime/session/memory-session.ts'
export { storeSession } from './runtime/session/store-session.ts'
export { Thread } from './runtime/thread/thread.ts'
export type { DriveOptions, PromptOptions, Response, ThreadOptions } from './runtime/thread/thread-options.ts'
export type { ThreadResult } from './runtime/thread/thread-result.ts'
export { memoryStore } from './store/memory/store.ts'
export { type MemoryStreamsOptions, memoryStreams } from './streams/memory/streams.ts'
export {
  type ApplyPatchToolOptions,
  applyPatchTool,
  type PatchEditor,
  type PatchOperation,
  type PatchResult,
} from './tools/apply-patch.ts'
export { askUser } from './tools/ask-user.ts'
export { type ComputerToolOptions, computerTool } from './tools/computer.ts'
export type { Computer, ComputerAction, MouseButton } from './tools/computer-actions.ts'
export { type HostedMcpToolOptions, hostedMcpTool } from './tools/hosted-mcp.ts'
export type { BuiltInOptions, NeedsApprovalOf } from './tools/options.ts'
export { type RemoteToolOptions, remoteTool } from './tools/remote-tool.ts'
export type { RequireApproval } from './tools/require-approval.ts'
export {
  type Shell,
  type ShellAction,
  type ShellOutput,
  type ShellResult,
  type ShellToolOptions,
  shellTool,
} from './tools/shell.ts'
