import { describe, test } from 'vitest'
import { type AdapterHarness, adapterConformance, adapterSkipReasons } from '../../../src/testing.ts'

/** One test for each case of the adapter suite, or for some of them. What is not checked is a skipped test that says why. */
export function describeAdapter(title: string, harness: AdapterHarness, cases = adapterConformance): void {
  const reasons = adapterSkipReasons(harness)
  describe(title, () => {
    for (const { name, guarantee, run } of cases) {
      const reason = reasons.get(name)
      const shown = `${guarantee}: ${name}${reason === undefined ? '' : ` (${reason})`}`
      test.skipIf(reason !== undefined)(shown, () => run(harness))
    }
  })
}
