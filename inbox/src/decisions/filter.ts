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

/** What the server filters, the last decision first. Person, outcome and the time of the decision are no filters of the list, so they are matched here. */
export function toQuery({ text, outcome }: Pick<DecisionFilter, 'text' | 'outcome'>): RequestListFilter {
  return {
    status: statusOf(outcome),
    order: 'changed',
    ...(text.trim() === '' ? {} : { text: text.trim().slice(0, 200) }),
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

/** When a period began. Today begins at midnight of the reader. */
export function beginOf(period: Period, now: number): number {
  switch (period) {
    case 'all':
      return 0
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

/** Whether a request was decided or closed since a time. */
export function isSince(request: RequestItem, begin: number): boolean {
  return Date.parse(outcomeOf(request).at ?? request.createdAt) >= begin
}

/** Whether a request that the server returned is shown. */
export function matches(
  request: RequestItem,
  { person, outcome }: Pick<DecisionFilter, 'person' | 'outcome'>,
): boolean {
  const found = outcomeOf(request)
  return (outcome === '' || found.outcome === outcome) && (person === '' || found.by === person)
}
