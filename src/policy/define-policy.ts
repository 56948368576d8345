import { PolicyInvalid } from '../protocol/errors/errors.ts'
import type { Judge, Policy } from './policy.ts'

/** How a policy is named in the journal. */
export interface PolicyNames {
  /** Default: the function's name. */
  name?: string
  /** Stored with every verdict. Change it when the rules change: waiting calls that were judged under another version are judged again. Default `'1'`. */
  version?: string
}

/** A policy as code. If it throws or returns an invalid verdict, the turn fails with `PolicyFailed` and nothing runs. */
export function definePolicy<TContext = unknown>(judge: Judge<TContext>, names: PolicyNames = {}): Policy<TContext> {
  if (typeof judge !== 'function')
    throw new PolicyInvalid(
      'definePolicy needs a function that judges a call: definePolicy((call) => ({ verdict }), { name, version }).',
    )
  const { name = judge.name || 'policy', version = '1' } = names
  return { name, version, shadow: false, bind: () => judge }
}

/** The same policy as a dry run: its verdicts and failures are recorded with each call, and nothing acts on them. */
export function shadow<TContext>(policy: Policy<TContext>): Policy<TContext> {
  return { ...policy, shadow: true, bind: (tools) => policy.bind(tools) }
}
