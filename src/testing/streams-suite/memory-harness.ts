import { memoryStreams } from '../../streams/memory/streams.ts'
import type { StreamsHarness } from './streams-case.ts'

/** Connects memory streams to the suite. They live in one process, and nothing can write past the port. */
export function memoryStreamsHarness(): StreamsHarness {
  return {
    create: async () => memoryStreams(),
    skips: [
      {
        reason: 'memory streams live in one process',
        cases: [
          'of concurrent answers through several handles one wins',
          'a waiter is woken through another handle, as by another process',
        ],
      },
      {
        reason: 'nothing can be put into memory past the port',
        cases: ['an undecodable message is reported as such, and reading continues after it'],
      },
    ],
  }
}
