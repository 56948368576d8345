import { toGateAnswer } from '../../gate/gate-answer.ts'
import { createGate, type GateOptions } from '../../gate.ts'
import type { Policy, Store } from '../../index.ts'
import type { HookGate } from './hook.ts'

/** What the gate of a store is made from. */
export interface StoreGateOptions {
  readonly store: Store
  readonly policies: readonly Policy[]
  readonly onHandedOver?: GateOptions['onHandedOver']
  readonly source: string
  /** On whose behalf calls are made. */
  readonly principal: string | undefined
  /** The doors through which calls are decided, unless the policy says. `undefined`: any. */
  readonly via: readonly string[] | undefined
}

/** The gate of a store that this process opens. */
export function storeGate({ store, policies, onHandedOver, source, principal, via }: StoreGateOptions): HookGate {
  const policy = via === undefined ? policies : policies.map((one) => throughDoors(one, via))
  const gate = createGate({ store, policy, source, ...(onHandedOver === undefined ? {} : { onHandedOver }) })
  const whose = principal === undefined ? {} : { principal }
  return {
    async judge(call) {
      const [state] = await gate.judge([{ ...call, ...whose }])
      if (!state) throw new Error('the call was not judged')
      return toGateAnswer(state)
    },
    wait: async (call, options) => toGateAnswer(await gate.wait({ ...call, ...whose }, options)),
    spend: async (call) => toGateAnswer(await gate.spend({ ...call, ...whose })),
    finished: (call, end) => gate.finished({ ...call, ...whose }, end),
  }
}

/** A policy whose reviews are decided through these doors, unless they name others: whoever runs the agent can open its store, too. */
export function throughDoors(policy: Policy, via: readonly string[]): Policy {
  const { name, version, shadow } = policy
  return {
    name,
    version,
    shadow,
    bind(tools) {
      const judge = policy.bind(tools)
      return async (call) => {
        const said = await judge(call)
        return said?.verdict === 'review' && said.via === undefined ? { ...said, via } : said
      }
    },
  }
}
