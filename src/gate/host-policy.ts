import { definePolicy } from '../policy/define-policy.ts'
import type { Policy, PolicyVerdict, ReviewOptions } from '../policy/policy.ts'

/** How a call says that the rules of its host want a person: `context: { hostReview: … }`. */
export type HostReview = true | Pick<ReviewOptions, 'allowedDecisions' | 'description' | 'argsSchema'>

/**
 * Holds the calls that the host's own rules hold: `interruptOn` of LangChain, `needsApproval` of the OpenAI Agents SDK. Adapters evaluate those rules, where
 * the host's state is known, and pass the outcome on as `context.hostReview`.
 */
export const hostPolicy: Policy = definePolicy(
  ({ runContext }): PolicyVerdict => {
    const { hostReview } = (runContext.context ?? {}) as { hostReview?: HostReview }
    if (hostReview === undefined) return { verdict: 'allow' }
    return { verdict: 'review', ...(hostReview === true ? {} : hostReview) }
  },
  { name: 'host' },
)
