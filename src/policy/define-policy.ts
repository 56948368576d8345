import { PolicyInvalid } from '../protocol/errors/errors.ts'
import type { Judge, Policy } from './policy.ts'

/** Names for a policy in the record. */
export interface PolicyNames {
  /** Default: the function's name. */
  name?: string
  /** Change it when the rules change: it is stored with every verdict, and calls that wait under another version are judged again. Default `'1'`. */
  version?: string
}

/** A policy as code. What it throws, or a verdict that is none, stops the turn: nothing runs, and the developer is told. */
export function definePolicy<TContext = unknown>(judge: Judge<TContext>, names: PolicyNames = {}): Policy<TContext> {
  if (typeof judge !== 'function')
    throw new PolicyInvalid(
      'definePolicy needs a function that judges a call: definePolicy((call) => ({ verdict }), { name, version }).',
    )
  const { name = judge.name || 'policy', version = '1' } = names
  return { name, version, shadow: false, bind: () => judge }
}

/** The same policy, for trying it out: what it would have said is recorded with each call, also that it failed, and nothing acts on it. */
export function shadow<TContext>(policy: Policy<TContext>): Policy<TContext> {
  return { ...policy, shadow: true, bind: (tools) => policy.bind(tools) }
}
