import { describe, it } from 'vitest'
import type { QueueHarness } from '../../src/testing/queue-suite/queue-case.ts'
import { queueSkipReasons, queueSuite } from '../../src/testing/queue-suite/suite.ts'

/** One test for each case of the queue suite. They run side by side: most of them wait. */
export function describeQueue(title: string, harness: QueueHarness): void {
  const reasons = queueSkipReasons(harness)
  describe(title, () => {
    for (const { name, guarantee, run } of queueSuite) {
      it.skipIf(reasons.has(name)).concurrent(`${guarantee}: ${name}`, () => run(harness))
    }
  })
}
