import type { RequestFacts } from '../../../core/views/request-view.ts'
import type { Figures } from '../../../protocol/api/records.ts'
import type { Actor, DecisionType } from '../../../protocol/decision.ts'
import { iso } from './request-item.ts'

type ToolFigures = Figures['byTool'][number]

/** The requests that figures are made of. */
export interface Counted {
  readonly days: number
  readonly now: number
  /** Opened in these days, the newest first. */
  readonly requests: readonly RequestFacts[]
  /** All that are open, however old. */
  readonly open: readonly RequestFacts[]
  /** There were more than were looked at. */
  readonly more: boolean
}

const HOUR_MS = 3_600_000

/** Computes the figures. */
export function figuresOf({ days, now, requests, open, more }: Counted): Figures {
  const settled = requests.flatMap((facts) => settlementOf(facts) ?? [])
  const decided = settled.filter(({ outcome }) => outcome !== 'expired')
  const byPeople = decided.filter(({ by }) => by.kind === 'person')
  const waits = open.map(({ openedAt }) => seconds(now - openedAt))
  return {
    days,
    counted: requests.length,
    more,
    timeToDecide: { p50: percentile(waitsOf(byPeople), 50), p95: percentile(waitsOf(byPeople), 95) },
    queueAge: { open: open.length, p50: percentile(waits, 50), oldest: percentile(waits, 100) },
    byTool: [...grouped(settled, ({ tool }) => tool)].map(toToolFigures).sort(byMost(sumOf)),
    byReviewer: [...grouped(byPeople, ({ by }) => by.id)]
      .map(([id, theirs]) => ({ id, decided: theirs.length, p50: percentile(waitsOf(theirs), 50) }))
      .sort(byMost(({ decided: count }) => count)),
    byHour: hoursOf({ days, now, requests }, settled),
  }
}

interface Settlement {
  tool: string
  outcome: DecisionType | 'answered' | 'expired'
  by: Actor
  at: number
  /** Seconds from opening to this. */
  waited: number
}

function settlementOf({ opened, openedAt, changed, changedAt = 0 }: RequestFacts): Settlement | undefined {
  const tool = opened.toolName ?? opened.kind
  const rest = { tool, at: changedAt, waited: seconds(changedAt - openedAt) }
  switch (changed?.type) {
    case 'request.decided':
      return { ...rest, outcome: changed.decision.type, by: changed.by }
    case 'request.answered':
      return { ...rest, outcome: 'answered', by: changed.by }
    case 'request.closed':
      return changed.status === 'expired' ? { ...rest, outcome: 'expired', by: changed.by } : undefined
    default:
      return undefined
  }
}

function toToolFigures([tool, settled]: [string, Settlement[]]): ToolFigures {
  const count = (...outcomes: Settlement['outcome'][]): number =>
    settled.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    tool,
    approved: count('approve'),
    edited: count('edit'),
    rejected: count('reject'),
    responded: count('respond', 'answered'),
    expired: count('expired'),
    p50: percentile(waitsOf(settled.filter(({ by }) => by.kind === 'person')), 50),
  }
}

/** Every hour of the days, also those in which nothing happened. */
function hoursOf(
  { days, now, requests }: Pick<Counted, 'days' | 'now' | 'requests'>,
  settled: readonly Settlement[],
): Figures['byHour'] {
  const last = Math.floor(now / HOUR_MS)
  const hours = Array.from({ length: days * 24 }, (_, index) => {
    const at = iso((last - days * 24 + 1 + index) * HOUR_MS)
    return { at, opened: 0, decided: 0, expired: 0 }
  })
  const hourOf = (time: number) => hours[Math.floor(time / HOUR_MS) - last + days * 24 - 1]
  for (const { openedAt } of requests) add(hourOf(openedAt), 'opened')
  for (const { at, outcome } of settled) add(hourOf(at), outcome === 'expired' ? 'expired' : 'decided')
  return hours
}

function add<K extends string>(counts: Record<K, number> | undefined, key: K): void {
  if (counts) counts[key] += 1
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const known = groups.get(keyOf(one))
    if (known) known.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

function waitsOf(settled: readonly Settlement[]): number[] {
  return settled.map(({ waited }) => waited)
}

/** The nearest-rank percentile. */
function percentile(values: readonly number[], rank: number): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)] ?? null
}

function sumOf({ approved, edited, rejected, responded, expired }: ToolFigures): number {
  return approved + edited + rejected + responded + expired
}

function byMost<T>(countOf: (one: T) => number): (a: T, b: T) => number {
  return (a, b) => countOf(b) - countOf(a)
}

function seconds(ms: number): number {
  return Math.max(0, Math.round(ms / 100) / 10)
}
