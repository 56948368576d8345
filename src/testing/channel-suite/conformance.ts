import { type ConformanceReport, reasonsToSkip, runCases } from '../run-cases.ts'
import { answerCases } from './answer-cases.ts'
import type { ChannelCase, ChannelHarness } from './channel-case.ts'
import { endingCases } from './ending-cases.ts'
import { queueCases } from './queue-cases.ts'
import { verbCases } from './verb-cases.ts'
import { watchCases } from './watch-cases.ts'

/**
 * The requirements for every channel, as data. Run them with any test runner, or with {@link runChannelConformance}.
 */
export const channelConformance: readonly ChannelCase[] = [
  ...verbCases,
  ...answerCases,
  ...endingCases,
  ...queueCases,
  ...watchCases,
]

/** Runs the suite against a channel, case by case. Throws only for a skip that names an unknown case. */
export function runChannelConformance(harness: ChannelHarness): Promise<ConformanceReport> {
  return runCases(channelConformance, harness)
}

/** The skipped cases, with reasons. An unknown case name is an error. */
export function channelSkipReasons({ skips }: Pick<ChannelHarness, 'skips'>): ReadonlyMap<string, string> {
  return reasonsToSkip(channelConformance, skips)
}
