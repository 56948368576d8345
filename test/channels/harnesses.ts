import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CheckpointedChannel } from '../../src/channel/checkpointed.ts'
import { InMemoryChannel } from '../../src/channel/in-memory.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import type { ChannelHarness } from '../../src/testing/channel-suite/channel-case.ts'

/** One case has a listener fail: nobody needs to read of that. */
export const onListenerError = () => undefined

/** Channels of this package, as the suite wants them. */
export const harnesses: Record<string, () => ChannelHarness> = {
  'the in-memory channel': () => ({
    create: async (options) => ({ channel: new InMemoryChannel({ ...options, onListenerError }) }),
  }),
  'the checkpointed channel on a memory store': () => ({
    create: async (options) => ({
      channel: new CheckpointedChannel({ ...options, onListenerError, store: memoryStore(), threadId: 't' }),
    }),
  }),
  'the checkpointed channel on sqlite': () => ({
    async create(options) {
      const dir = mkdtempSync(join(tmpdir(), 'holdpoint-channel-'))
      const store = sqliteStore({ path: join(dir, 'store.db') })
      return {
        channel: new CheckpointedChannel({ ...options, onListenerError, store, threadId: 't' }),
        async close() {
          await store.close()
          rmSync(dir, { recursive: true, force: true })
        },
      }
    },
  }),
}
