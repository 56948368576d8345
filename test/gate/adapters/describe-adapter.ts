import { describe, test } from 'vitest'
import { type AdapterHarness, adapterConformance, adapterSkipReasons } from '../../../src/testing.ts'

/** One test for each case of the adapter suite. What is not checked is a skipped test that says why. */
export function describeAdapter(title: string, harness: AdapterHarness): void {
  const reasons = adapterSkipReasons(harness)
  describe(title, () => {
    for (const { name, guarantee, run } of adapterConformance) {
      const reason = reasons.get(name)
      const shown = `${guarantee}: ${name}${reason === undefined ? '' : ` (${reason})`}`
      test.skipIf(reason !== undefined)(shown, () => run(harness))
    }
  })
}
