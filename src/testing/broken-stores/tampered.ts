import type { Store, ThreadSlice } from '../../ports/store.ts'
import type { StoredEntry } from '../../ports/stored-entry.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { fakeClock } from '../fake-clock.ts'
import { forgedSnapshotCases } from '../store-suite/cases/journal/snapshot-cases.ts'
import { tamperCases } from '../store-suite/cases/journal/tamper-cases.ts'
import { memoryHarness } from '../store-suite/memory-harness.ts'
import type { StoreHarness, Tampering } from '../store-suite/store-case.ts'
import type { BrokenStore } from './broken-store.ts'

/** A store whose rows can be changed and that checks none of them. */
function gullible(): StoreHarness {
  const clock = fakeClock()
  const changes = new Map<Store, Tampering[]>()
  const wrap = (sound: Store): Store => {
    const own: Tampering[] = []
    const store: Store = {
      ...sound,
      async read(threadId, options) {
        const slice = await sound.read(threadId, options)
        return own.filter((each) => each.threadId === threadId).reduce(tampered, slice)
      },
    }
    changes.set(store, own)
    return store
  }
  return {
    ...memoryHarness(),
    clock,
    create: async (options) => wrap(memoryStore({ clock, ...options })),
    reopen: async (store) => ({ ...store, close: async () => undefined }),
    tamper: async (store, tampering) => {
      changes.get(store)?.push(tampering)
    },
  }
}

function tampered(slice: ThreadSlice, tampering: Tampering): ThreadSlice {
  const changed = (change: (stored: StoredEntry) => StoredEntry[]) => ({
    ...slice,
    entries: slice.entries.flatMap(change),
  })
  switch (tampering.op) {
    case 'delete':
      return changed((stored) => (stored.seq === tampering.seq ? [] : [stored]))
    case 'body':
      return changed((stored) => [stored.seq === tampering.seq ? { ...stored, body: tampering.body } : stored])
    case 'time':
      return changed((stored) => [stored.seq === tampering.seq ? { ...stored, at: stored.at + 1 } : stored])
    case 'swap': {
      const [a, b] = tampering.seqs
      const from = (seq: number) => (seq === a ? b : seq === b ? a : seq)
      return changed((stored) => slice.entries.filter(({ seq }) => seq === from(stored.seq)))
    }
    case 'cut':
      return { ...slice, version: tampering.version, entries: slice.entries.slice(0, tampering.version) }
    case 'unsign':
      return slice
    case 'snapshot':
      return slice.snapshot && tampering.body !== null
        ? { ...slice, snapshot: { ...slice.snapshot, body: tampering.body } }
        : slice
  }
}

/** Stores that return tampered rows as if they were right. */
export const brokenTrust: readonly BrokenStore[] = [
  {
    name: 'does not notice that its rows were changed, and needs no key to write',
    rejectedBy: [...tamperCases, ...forgedSnapshotCases].map(({ name }) => name),
    harness: gullible,
  },
]
