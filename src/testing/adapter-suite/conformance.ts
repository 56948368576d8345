import { type ConformanceReport, reasonsToSkip, runCases } from '../run-cases.ts'
import type { AdapterCase, AdapterHarness } from './adapter-case.ts'
import { callCases } from './call-cases.ts'
import { decisionCases } from './decision-cases.ts'
import { replayCases } from './replay-cases.ts'
import { troubleCases } from './trouble-cases.ts'

/** The requirements for every adapter of the gate, as data. Run them with any test runner, or with {@link runAdapterConformance}. */
export const adapterConformance: readonly AdapterCase[] = [
  ...callCases,
  ...replayCases,
  ...decisionCases,
  ...troubleCases,
]

/** Runs the suite against an adapter, case by case. Throws only for a skip that names an unknown case. */
export function runAdapterConformance(harness: AdapterHarness): Promise<ConformanceReport> {
  return runCases(adapterConformance, harness)
}

/** The skipped cases, with reasons. An unknown case name is an error. */
export function adapterSkipReasons({ skips }: Pick<AdapterHarness, 'skips'>): ReadonlyMap<string, string> {
  return reasonsToSkip(adapterConformance, skips)
}
