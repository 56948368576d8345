import { type ConformanceReport, reasonsToSkip, runCases } from '../run-cases.ts'
import { delayCases } from './delay-cases.ts'
import { failureCases } from './failure-cases.ts'
import type { QueueCase, QueueHarness } from './queue-case.ts'
import { ringCases } from './ring-cases.ts'
import { routeCases } from './route-cases.ts'

/** The requirements for all queues, as data. Run them with any test runner, or with {@link runQueueSuite}. */
export const queueSuite: readonly QueueCase[] = [...ringCases, ...delayCases, ...routeCases, ...failureCases]

/** Runs the suite against a queue, case by case. Throws only for a skip that names an unknown case. */
export function runQueueSuite(harness: QueueHarness): Promise<ConformanceReport> {
  return runCases(queueSuite, harness)
}

/** The skipped cases, with reasons. An unknown case name is an error. */
export function queueSkipReasons({ skips }: Pick<QueueHarness, 'skips'>): ReadonlyMap<string, string> {
  return reasonsToSkip(queueSuite, skips)
}
