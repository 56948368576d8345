import { inProcessQueue } from '../../queue/in-process/queue.ts'
import type { QueueHarness } from './queue-case.ts'

/** Connects the queue of one process to the suite. */
export function inProcessHarness(): QueueHarness {
  return {
    create: async () => inProcessQueue(),
    // Its one handle can be used twice, but closed only once.
    reopen: async (queue) => ({ ...queue, close: async () => undefined }),
    skips: [
      {
        reason: 'it lives in one process, and ends with it',
        cases: [
          'a wake-up whose process dies is handed out again',
          'an outage is reported, rejects rings in time, and ends by itself',
        ],
      },
    ],
  }
}
