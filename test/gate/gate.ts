import { createGate, type ForeignCall, type Gate, type GateOptions, type GateState } from '../../src/gate.ts'
import { humanInTheLoop, type JsonObject, type Store } from '../../src/index.ts'

/** The person who decides in these tests. */
export const ann = { kind: 'person', id: 'ann' } as const

/** Refunds and payments need a person, `drop_all` is denied, everything else is free. */
export const policy = humanInTheLoop({ interruptOn: { refund: true, pay: true } })

/** A gate over a store, as each process makes one. */
export function gateOf(store: Store, options: Partial<GateOptions> = {}): Gate {
  return createGate({ store, policy, source: 'test', ...options })
}

/** A refund, held by the policy. */
export function refund(more: Partial<ForeignCall> = {}): ForeignCall {
  return { threadId: 'chat-1', callId: 'call-1', toolName: 'refund', args: { order: 'A-1', amount: 20 }, ...more }
}

/** Judges one call that must be held, and returns its request. */
export async function held(gate: Gate, call: ForeignCall): Promise<Extract<GateState, { status: 'held' }>['request']> {
  const [state] = await gate.judge([call])
  if (state?.status !== 'held') throw new Error(`held, not ${JSON.stringify(state)}`)
  return state.request
}

/** A tool that counts how often it ran, and with which arguments. */
export function counted(): { runs: JsonObject[]; run: (args: JsonObject) => Promise<{ refunded: JsonObject }> } {
  const runs: JsonObject[] = []
  return {
    runs,
    run: (args) => {
      runs.push(args)
      return Promise.resolve({ refunded: args })
    },
  }
}
