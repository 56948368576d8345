export { createGate } from './gate/create-gate.ts'
export { callProblem } from './gate/foreign-call.ts'
export { type HostReview, hostPolicy } from './gate/host-policy.ts'
export { pendingRequest } from './gate/pending-request.ts'
export type {
  ForeignCall,
  Gate,
  GateCall,
  GateContext,
  GateExecuteOptions,
  GateOptions,
  GateState,
  GateWaitOptions,
} from './gate/types.ts'
export { CallFailed, HoldpointNotReleased, OutcomeUnknown } from './protocol/errors/errors.ts'
