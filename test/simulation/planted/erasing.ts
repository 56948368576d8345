import type { Append, Store } from '../../../src/ports/store.ts'
import type { PlantedBug } from './bug.ts'
import { changing, without } from './changing.ts'

/** Shows no lease, and takes it from whoever holds it. */
function barging(sound: Store): Store {
  return {
    ...sound,
    read: async (threadId, options) => ({ ...(await sound.read(threadId, options)), lease: null }),
    async append(append) {
      if (append.lease?.op !== 'take') return sound.append(append)
      const { lease } = await sound.read(append.threadId, { after: Number.MAX_SAFE_INTEGER })
      return sound.append(lease ? { ...append, lease: { ...append.lease, over: lease } } : append)
    },
    tenant: (id) => barging(sound.tenant(id)),
  }
}

/** Aborts and erases a thread as it was read, whatever was written since. */
async function unguarded(append: Append, store: Store): Promise<Append> {
  if (append.version === undefined) return append
  const { version, head } = await store.read(append.threadId, { after: Number.MAX_SAFE_INTEGER })
  return { ...append, version, head }
}

/** Broken erasures. */
export const ERASING: readonly PlantedBug[] = [
  {
    name: 'an erasure under a running body',
    breaks: ['one driver'],
    eraser: barging,
  },
  {
    name: 'an erasure that accounts for bodies and leaves them',
    breaks: ['what was erased is gone'],
    store: (sound) => changing(sound, (append) => without(append, 'erase')),
  },
  {
    name: 'an erasure of what was read, whatever was written since',
    breaks: ['every journal folds', 'every chain verifies'],
    eraser: (sound) => changing(sound, unguarded),
  },
  {
    name: 'an erasure that does not remember what must follow',
    breaks: ['each erasure is recorded once'],
    eraser: (sound) => changing(sound, (append) => (append.erase ? without(append, 'records') : append)),
  },
  {
    name: 'an erasure that leaves the mark of a thread',
    breaks: ['what was erased is gone', 'nothing is stuck'],
    eraser: (sound) => changing(sound, (append) => without(append, 'wake')),
  },
]
