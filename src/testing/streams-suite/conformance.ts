import { type ConformanceReport, reasonsToSkip, runCases } from '../run-cases.ts'
import { answerCases } from './answer-cases.ts'
import { holdingCases } from './holding-cases.ts'
import { keepingCases } from './keeping-cases.ts'
import { messageCases } from './message-cases.ts'
import { sessionCases } from './session-cases.ts'
import { settlingCases } from './settling-cases.ts'
import type { StreamsCase, StreamsHarness } from './streams-case.ts'
import { tenantCases } from './tenant-cases.ts'
import { waitCases } from './wait-cases.ts'

/**
 * The requirements for all message streams, as data. Run them with any test runner, or with {@link
 * runStreamsConformance}.
 */
export const streamsConformance: readonly StreamsCase[] = [
  ...sessionCases,
  ...messageCases,
  ...answerCases,
  ...settlingCases,
  ...keepingCases,
  ...holdingCases,
  ...tenantCases,
  ...waitCases,
]

/** Runs the suite against a backend, case by case. Throws only for a skip that names an unknown case. */
export function runStreamsConformance(harness: StreamsHarness): Promise<ConformanceReport> {
  return runCases(streamsConformance, harness)
}

/** The skipped cases, with reasons. An unknown case name is an error. */
export function streamsSkipReasons({ skips }: Pick<StreamsHarness, 'skips'>): ReadonlyMap<string, string> {
  return reasonsToSkip(streamsConformance, skips)
}
