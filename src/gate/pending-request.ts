import type { HitlRequest } from '../protocol/request.ts'
import type { GateState } from './types.ts'

/** The request that keeps a call from going on: somebody has to answer it, or its decision can still be withdrawn. `undefined`: no person is needed. */
export function pendingRequest(state: GateState): HitlRequest | undefined {
  return state.status === 'held' || state.status === 'unknown' ? state.request : undefined
}
