import type { RequestItem, RequestListFilter } from 'holdpoint/client'
import { type Outcome, outcomeOf } from '../queue/outcome.ts'

/** How far back the record is shown. */
export const periods = ['day', 'week', 'month', 'all'] as const
type Period = (typeof periods)[number]

/** What of the record is shown. */
export interface DecisionFilter {
  text: string
  period: Period
  /** A person's id; empty for anyone. */
  person: string
  outcome: Outcome | ''
  /** Calls that ran without a person, instead of decisions. */
  notAsked: boolean
}

export const NO_FILTER: DecisionFilter = { text: '', period: 'all', person: '', outcome: '', notAsked: false }

/** The outcomes that can be chosen. */
export const outcomes: readonly Outcome[] = [
  'approve',
  'edit',
  'reject',
  'respond',
  'answer',
  'expired',
  'cancelled',
  'aborted',
  'superseded',
]

const DAY = 86_400_000

type Served = Pick<DecisionFilter, 'text' | 'period' | 'outcome'>

/** What the server filters. Person and outcome are no filters of the list, so they are matched here. */
export function toQuery({ text, period, outcome }: Served, now: number): RequestListFilter {
  return {
    status: statusOf(outcome),
    ...(text.trim() === '' ? {} : { text: text.trim().slice(0, 200) }),
    ...(period === 'all' ? {} : { after: new Date(beginOf(period, now)).toISOString() }),
  }
}

function statusOf(outcome: DecisionFilter['outcome']): NonNullable<RequestListFilter['status']> {
  switch (outcome) {
    case 'approve':
    case 'edit':
    case 'reject':
    case 'respond':
    case 'answer':
      return 'decided'
    case 'expired':
    case 'cancelled':
    case 'aborted':
    case 'superseded':
      return outcome
    case '':
      return 'closed'
    default:
      return outcome satisfies never
  }
}

/** Today begins at midnight of the reader. */
function beginOf(period: Exclude<Period, 'all'>, now: number): number {
  switch (period) {
    case 'day':
      return new Date(now).setHours(0, 0, 0, 0)
    case 'week':
      return new Date(now - 7 * DAY).setMinutes(0, 0, 0)
    case 'month':
      return new Date(now - 30 * DAY).setMinutes(0, 0, 0)
    default:
      return period satisfies never
  }
}

/** Whether a request that the server returned is shown. */
export function matches(request: RequestItem, { person, outcome }: DecisionFilter): boolean {
  const found = outcomeOf(request)
  return (outcome === '' || found.outcome === outcome) && (person === '' || found.by === person)
}
