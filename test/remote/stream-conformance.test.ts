import { describe, it } from 'vitest'
import { memoryStore, memoryStreams, StreamChannel } from '../../src/index.ts'
import { channelConformance } from '../../src/testing/channel-suite/conformance.ts'
import { onListenerError } from '../channels/harnesses.ts'

describe.each([
  ['without a store', false],
  ['with a store', true],
])('a stream channel %s is a channel', (_, stored) => {
  const harness = {
    async create(options: { defaultTimeoutSeconds?: number | null }) {
      const streams = memoryStreams()
      await streams.open('s', { owner: 'ann', expireSeconds: 60 })
      const more = stored ? { store: memoryStore(), threadId: 't' } : {}
      return {
        channel: new StreamChannel({ ...options, ...more, onListenerError, streams, session: 's' }),
        close: () => streams.shutdown(),
      }
    },
  }
  it.each(channelConformance.map((each) => [`${each.guarantee}: ${each.name}`, each] as const))('%s', (_name, each) =>
    each.run(harness),
  )
})
