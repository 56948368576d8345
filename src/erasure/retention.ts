import { type Clock, pause } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { ThreadName } from '../ports/store-lists.ts'
import { parseAge } from '../protocol/checks/durations.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import type { HoldpointError } from '../protocol/errors/errors.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { erasePage, finish } from './erase.ts'
import { announced } from './pending.ts'

/** How long threads are kept. */
export interface RetentionOptions {
  /** Threads that are over, and were last written longer ago than this, are erased: a count of hours, days or weeks, such as `'90d'`. */
  olderThan: string
}

/** What a sweep has done. */
interface RetentionSweep {
  /** How many threads it erased. */
  erased: number
  /** Threads that cannot be read. Those that are not over are not among them: they are looked at again in the next sweep. */
  problems: { tenantId: string; threadId: string; error: HoldpointError }[]
}

const BY = { kind: 'system', id: 'retention' } as const
/** Conditions that pass. */
const NOT_YET: ReadonlySet<string> = new Set(['thread_busy', 'thread_open', 'thread_not_found', 'store_contended'])

/** Checks the option. Resolves to milliseconds. */
export function toRetention(given: RetentionOptions | undefined): number | undefined {
  if (given === undefined) return undefined
  requireKnown('retention', given, ['olderThan'])
  const ms = parseAge(given.olderThan)
  if (ms === undefined) throw new InputInvalid(`retention.olderThan must be an age such as '90d', '12h' or '2w'.`)
  return ms
}

/**
 * Erases threads of all tenants that are over and too old, page by page, and completes what processes that died have left. Between two pages it lets
 * others work, and ends if the signal fires: the next sweep goes on.
 */
export async function sweepRetention(
  store: Store,
  { olderThanMs, signal }: { olderThanMs: number; signal: AbortSignal },
): Promise<RetentionSweep> {
  const done: RetentionSweep = { erased: 0, problems: [] }
  const before = (await store.queue()).now - olderThanMs
  const reason = `older than ${olderThanMs / 3_600_000} hours`
  let after: ThreadName | undefined
  do {
    const how = { by: BY, reason, abort: false, dryRun: false, before }
    const page = await erasePage(store, { after, how })
    done.erased += page.erased.length
    done.problems.push(...page.refused.filter(({ error }) => !NOT_YET.has(error.code)))
    after = page.next
    await new Promise((resolve) => setImmediate(resolve))
  } while (after && !signal.aborted)
  await finish(store, await announced(store))
  return done
}

const HOUR_MS = 3_600_000
const LOOK_MS = 1000

/** How retention is run. */
export interface RetentionRun {
  readonly olderThanMs: number
  readonly signal: AbortSignal
  readonly clock?: Clock | undefined
  /** Whether it is this process's turn. It is asked every second until it is. */
  isTurn(): boolean
  onSwept(sweep: RetentionSweep): void
  onError(error: unknown): void
}

/** Sweeps now and every hour until the signal fires. Never rejects. */
export async function runRetention(store: Store, run: RetentionRun): Promise<void> {
  const { olderThanMs, signal, clock } = run
  while (!signal.aborted) {
    const isTurn = run.isTurn()
    try {
      if (isTurn) run.onSwept(await sweepRetention(store, { olderThanMs, signal }))
    } catch (error) {
      if (!signal.aborted) run.onError(error)
    }
    if (!signal.aborted) await pause(isTurn ? HOUR_MS : LOOK_MS, { signal, clock })
  }
}
