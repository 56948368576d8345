import assert from 'node:assert/strict'
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
].map(unlessUnanswerable)

/** Runs the suite against an adapter, case by case. Throws only for a skip that names an unknown case. */
export function runAdapterConformance(harness: AdapterHarness): Promise<ConformanceReport> {
  return runCases(adapterConformance, harness, adapterSkipReasons(harness))
}

/**
 * The cases that are not run, with reasons: those that the harness names in `skips`, and those whose answer cannot be given at the host. An unknown case name
 * is an error.
 */
export function adapterSkipReasons(harness: Pick<AdapterHarness, 'answers' | 'skips'>): ReadonlyMap<string, string> {
  const unanswerable = adapterConformance.flatMap((one) => {
    const reason = missingAnswer(one, harness)
    return reason === undefined ? [] : [{ reason, cases: [one.name] }]
  })
  return reasonsToSkip(adapterConformance, [...unanswerable, ...(harness.skips ?? [])])
}

function missingAnswer({ answer }: AdapterCase, { answers = [] }: Pick<AdapterHarness, 'answers'>): string | undefined {
  return answer === undefined || answers.includes(answer) ? undefined : `nobody can answer '${answer}' at this host`
}

/** A case that cannot be checked fails: it must be skipped, so that the report says what was not checked. */
function unlessUnanswerable(one: AdapterCase): AdapterCase {
  return {
    ...one,
    run: async (harness) => {
      const reason = missingAnswer(one, harness)
      assert.ok(reason === undefined, `${reason}: skip this case, as adapterSkipReasons says`)
      await one.run(harness)
    },
  }
}
