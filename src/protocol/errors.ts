export { type ErrorCode, errorCodes, HoldpointError, messageOf } from './error-base.ts'
export {
  AgentInvalid,
  AgentMismatch,
  ContextInvalid,
  InputInvalid,
  MaxTurnsExceeded,
  ModelFailed,
  ModelResponseInvalid,
  PolicyFailed,
  ToolInvalid,
  ToolMissing,
} from './errors-agent.ts'
export {
  AnswerInvalid,
  DecisionInvalid,
  DecisionNotAllowed,
  EditInvalid,
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
} from './errors-hitl.ts'
export { StoreBusy, StoreClosed, StoreCorrupt, StoreDriverMissing, StoreFailed, StoreNewer } from './errors-store.ts'
export {
  JournalInvalid,
  StateDiverged,
  StateInvalid,
  StateSignatureInvalid,
  ThreadBusy,
  ThreadIdInvalid,
  ThreadNotFound,
  ThreadPaused,
} from './errors-thread.ts'
