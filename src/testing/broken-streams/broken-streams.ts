import type { Streams } from '../../ports/streams.ts'
import { memoryStreams } from '../../streams/memory/streams.ts'
import { memoryStreamsHarness } from '../streams-suite/memory-harness.ts'
import type { StreamsHarness } from '../streams-suite/streams-case.ts'

/** Message streams with one fault. A suite that accepts them does not test the guarantee. */
export interface BrokenStreams {
  /** What they do wrong. */
  readonly name: string
  /** The cases that must reject them. */
  readonly rejectedBy: readonly string[]
  harness(): StreamsHarness
}

/** Returns the methods that a fault replaces. */
export type Fault = (sound: Streams) => Partial<Streams>

/** Memory streams with some methods replaced, in every tenant's view. */
export function breakStreams(fault: Fault): () => StreamsHarness {
  const wrap = (sound: Streams): Streams => {
    const broken: Streams = {
      ...sound,
      tenant: (id) => (id === sound.tenantId ? broken : wrap(sound.tenant(id))),
      ...fault(sound),
    }
    return broken
  }
  return () => ({ ...memoryStreamsHarness(), create: async () => wrap(memoryStreams()) })
}
