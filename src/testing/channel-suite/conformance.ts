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

/** What a run of the suite came to. A channel conforms when nothing failed. */
export interface ChannelConformanceReport {
  passed: string[]
  failed: { name: string; error: unknown }[]
  skipped: { name: string; reason: string }[]
}

/** Runs the suite against a channel, case by case. Throws only for a skip that names no case. */
export async function runChannelConformance(harness: ChannelHarness): Promise<ChannelConformanceReport> {
  const reasons = channelSkipReasons(harness)
  const report: ChannelConformanceReport = { passed: [], failed: [], skipped: [] }
  for (const { name, run } of channelConformance) {
    const reason = reasons.get(name)
    if (reason !== undefined) {
      report.skipped.push({ name, reason })
      continue
    }
    try {
      await run(harness)
      report.passed.push(name)
    } catch (error) {
      report.failed.push({ name, error })
    }
  }
  return report
}

/** Which cases a channel leaves out, and why. A name that is no case (any more) is an error, so that no skip outlives its reason. */
export function channelSkipReasons(harness: Pick<ChannelHarness, 'skips'>): ReadonlyMap<string, string> {
  const known = new Set(channelConformance.map(({ name }) => name))
  const reasons = new Map<string, string>()
  for (const { reason, cases } of harness.skips ?? []) {
    for (const name of cases) {
      if (!known.has(name)) throw new Error(`there is no case "${name}" to skip in the channel suite`)
      reasons.set(name, reason)
    }
  }
  return reasons
}
