import { describe, it } from 'vitest'
import { streamsConformance, streamsSkipReasons } from '../../src/testing/streams-suite/conformance.ts'
import type { StreamsHarness } from '../../src/testing/streams-suite/streams-case.ts'

/** One test for each case of the streams suite, or for some of them. */
export function describeStreams(title: string, harness: StreamsHarness, cases = streamsConformance): void {
  const reasons = streamsSkipReasons(harness)
  describe(title, () => {
    for (const { name, guarantee, run } of cases) {
      it.skipIf(reasons.has(name))(`${guarantee}: ${name}`, () => run(harness))
    }
  })
}
