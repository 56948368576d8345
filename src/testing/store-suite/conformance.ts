import { appendCases } from './append-cases.ts'
import { chainCases } from './chain-cases.ts'
import { closeCases } from './close-cases.ts'
import { contentCases } from './content-cases.ts'
import { followCases } from './follow-cases.ts'
import { grantCases } from './grant-cases.ts'
import { grantFindingCases } from './grant-finding-cases.ts'
import { handleCases } from './handle-cases.ts'
import { leaseCases } from './lease-cases.ts'
import { pagingCases } from './paging-cases.ts'
import { requestCases } from './request-cases.ts'
import type { StoreCase, StoreHarness } from './store-case.ts'
import { tenantCases } from './tenant-cases.ts'

/** What every store must do, as data: run it with any test runner, or with {@link runStoreConformance}. */
export const storeConformance: readonly StoreCase[] = [
  ...appendCases,
  ...contentCases,
  ...leaseCases,
  ...requestCases,
  ...pagingCases,
  ...grantCases,
  ...grantFindingCases,
  ...tenantCases,
  ...followCases,
  ...chainCases,
  ...closeCases,
  ...handleCases,
]

/** What a run of the suite came to. A store conforms when nothing failed. */
export interface ConformanceReport {
  passed: string[]
  failed: { name: string; error: unknown }[]
  skipped: { name: string; reason: string }[]
}

/** Runs the suite against a backend, case by case. Throws only for a skip that names no case. */
export async function runStoreConformance(harness: StoreHarness): Promise<ConformanceReport> {
  const reasons = skipReasons(harness)
  const report: ConformanceReport = { passed: [], failed: [], skipped: [] }
  for (const { name, run } of storeConformance) {
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

/** Which cases a backend leaves out, and why. A name that is no case (any more) is an error, so that no skip outlives its reason. */
export function skipReasons(harness: Pick<StoreHarness, 'skips'>): ReadonlyMap<string, string> {
  const known = new Set(storeConformance.map(({ name }) => name))
  const reasons = new Map<string, string>()
  for (const { reason, cases } of harness.skips ?? []) {
    for (const name of cases) {
      if (!known.has(name)) throw new Error(`there is no case "${name}" to skip in the store suite`)
      reasons.set(name, reason)
    }
  }
  return reasons
}
