import { describe, it } from 'vitest'
import { skipReasons, storeConformance } from '../../src/testing/store-suite/conformance.ts'
import type { StoreHarness } from '../../src/testing/store-suite/store-case.ts'

/** One test for each case of the store suite, or for some of them. */
export function describeConformance(title: string, harness: StoreHarness, cases = storeConformance): void {
  const reasons = skipReasons(harness)
  describe(title, () => {
    for (const { name, guarantee, run } of cases) {
      it.skipIf(reasons.has(name))(`${guarantee}: ${name}`, () => run(harness))
    }
  })
}
