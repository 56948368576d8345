import { definePolicy } from 'holdpoint'

const MINUTE = 60

/** Refunds: small ones wait too, so that everything in the demo can be seen, but with little at stake. */
export const refunds = definePolicy(
  ({ toolName, args }) => {
    if (toolName !== 'refund') return { verdict: 'allow' }
    const amount = Number(args.amount)
    if (amount > 10_000)
      return {
        verdict: 'review',
        risk: 'medium',
        description: 'Refunds over €100.00 need a person.',
        timeoutSeconds: 28 * MINUTE,
      }
    return {
      verdict: 'review',
      risk: amount > 5_000 ? 'medium' : 'low',
      description: 'Refunds by this agent need a person on weekdays.',
      // The smallest is the first in the queue: what a newcomer decides first has little at stake.
      timeoutSeconds: (amount <= 1_800 ? 20 : 45 + (amount % 60)) * MINUTE,
    }
  },
  { name: 'refunds', version: 'v7' },
)

export const outreach = definePolicy(
  ({ toolName }) =>
    toolName === 'send_mailing'
      ? {
          verdict: 'review',
          risk: 'high',
          allowedDecisions: ['approve', 'reject', 'respond'],
          description: 'A message to more than 100 people is high risk.',
          timeoutSeconds: 41 * MINUTE,
        }
      : { verdict: 'allow' },
  { name: 'outreach', version: 'v3' },
)

export const sql = definePolicy(
  ({ toolName }) =>
    toolName === 'delete_rows'
      ? {
          verdict: 'review',
          risk: 'high',
          allowedDecisions: ['approve', 'edit', 'reject'],
          description: 'Statements that delete in production need a person.',
          timeoutSeconds: 83 * MINUTE,
        }
      : { verdict: 'allow' },
  { name: 'sql', version: 'v12' },
)

export const release = definePolicy(
  ({ toolName, args }) =>
    toolName === 'deploy'
      ? {
          verdict: 'review',
          risk: args.environment === 'production' ? 'high' : 'medium',
          allowedDecisions: ['approve', 'reject', 'respond'],
          description: 'Deploys need a person.',
          timeoutSeconds: 180 * MINUTE,
        }
      : { verdict: 'allow' },
  { name: 'release', version: 'v5' },
)

export const files = definePolicy(
  ({ toolName }) =>
    toolName === 'share_file'
      ? {
          verdict: 'review',
          risk: 'high',
          description: 'Sharing with an address outside the company needs a person.',
          timeoutSeconds: 24 * MINUTE,
        }
      : { verdict: 'allow' },
  { name: 'files', version: 'v2' },
)
