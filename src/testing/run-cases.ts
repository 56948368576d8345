/** The result of a suite. A backend conforms if nothing failed. */
export interface ConformanceReport {
  passed: string[]
  failed: { name: string; error: unknown }[]
  skipped: { name: string; reason: string }[]
}

/** Cases that a backend skips on purpose. */
export interface Skip {
  readonly reason: string
  readonly cases: readonly string[]
}

/** A case of a suite. */
interface Case<THarness> {
  readonly name: string
  run(harness: THarness): Promise<void>
}

/** Runs a suite against a backend, case by case, without those that have a reason to be skipped. Throws only for a skip that names an unknown case. */
export async function runCases<THarness extends { readonly skips?: readonly Skip[] }>(
  cases: readonly Case<THarness>[],
  harness: THarness,
  reasons = reasonsToSkip(cases, harness.skips),
): Promise<ConformanceReport> {
  const report: ConformanceReport = { passed: [], failed: [], skipped: [] }
  for (const { name, run } of cases) {
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

/** The skipped cases, with reasons. An unknown case name is an error, so that no skip outlives its case. */
export function reasonsToSkip(
  cases: readonly { readonly name: string }[],
  skips: readonly Skip[] = [],
): ReadonlyMap<string, string> {
  const known = new Set(cases.map(({ name }) => name))
  const reasons = new Map<string, string>()
  for (const { reason, cases: left } of skips) {
    for (const name of left) {
      if (!known.has(name)) throw new Error(`there is no case "${name}" to skip in this suite`)
      reasons.set(name, reason)
    }
  }
  return reasons
}
