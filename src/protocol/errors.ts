export { type ErrorCode, errorCodes, HoldpointError, messageOf } from './error-base.ts'
export {
  AgentInvalid,
  AgentMismatch,
  AgentMissing,
  AgentVersionMissing,
  ContextInvalid,
  InputInvalid,
  MaxRejectionsExceeded,
  MaxTurnsExceeded,
  ModelFailed,
  ModelResponseInvalid,
  PolicyFailed,
  PolicyInvalid,
  ToolInvalid,
  ToolMissing,
} from './errors-agent.ts'
export { GuardrailFailed, type GuardrailKind, GuardrailTripped } from './errors-guardrail.ts'
export {
  HilContentError,
  HilInterruptCancelled,
  HilMsgStreamMissingError,
  HilStreamExists,
  StreamsFailed,
} from './errors-hil.ts'
export {
  AnswerInvalid,
  DecisionInvalid,
  DecisionNotAllowed,
  EditInvalid,
  GrantNotFound,
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
  QuestionAmbiguous,
  RequestChanged,
  ReviewerNotAllowed,
} from './errors-hitl.ts'
export { StoreBusy, StoreClosed, StoreCorrupt, StoreDriverMissing, StoreFailed, StoreNewer } from './errors-store.ts'
export {
  JournalInvalid,
  SessionFailed,
  StateDiverged,
  StateInvalid,
  StateSignatureInvalid,
  ThreadBusy,
  ThreadIdInvalid,
  ThreadNotFound,
  ThreadPaused,
} from './errors-thread.ts'
