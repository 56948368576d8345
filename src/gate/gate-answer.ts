import type { GateAnswer } from '../protocol/api/gate.ts'
import type { GateState } from './types.ts'

/** The state of a call, as far as its agent is told. */
export function toGateAnswer(state: GateState): GateAnswer {
  switch (state.status) {
    case 'free':
    case 'finished':
      return { status: state.status }
    case 'held':
      return { status: 'held', request: state.request.id }
    case 'released':
      return { status: 'released', args: state.args }
    case 'refused':
      return { status: 'refused', message: state.message, isError: state.isError }
    case 'unknown':
      return { status: 'unknown', ...(state.request ? { request: state.request.id } : {}) }
    default:
      return state satisfies never
  }
}
