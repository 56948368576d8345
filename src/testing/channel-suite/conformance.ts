import { type ConformanceReport, reasonsToSkip, runCases } from '../run-cases.ts'
import { answerCases } from './answer-cases.ts'
import type { ChannelCase, ChannelHarness } from './channel-case.ts'
import { endingCases } from './ending-cases.ts'
import { queueCases } from './queue-cases.ts'
import { verbCases } from './verb-cases.ts'
import { watchCases } from './watch-cases.ts'

/** What every channel must do, as data: run it with any test runner, or with {@link runChannelConformance}. */
export const channelConformance: readonly ChannelCase[] = [
  ...verbCases,
  ...answerCases,
  ...endingCases,
  ...queueCases,
  ...watchCases,
]

/** Runs the suite against a channel, case by case. Throws only for a skip that names no case. */
export function runChannelConformance(harness: ChannelHarness): Promise<ConformanceReport> {
  return runCases(channelConformance, harness)
}

/** Which cases a channel leaves out, and why. A name that is no case (any more) is an error. */
export function channelSkipReasons({ skips }: Pick<ChannelHarness, 'skips'>): ReadonlyMap<string, string> {
  return reasonsToSkip(channelConformance, skips)
}
