import type { Append, Store } from '../../ports/store.ts'
import { type BrokenStore, breakStore } from './broken-store.ts'

const READ = 'a read from a snapshot returns it and the entries after it, and any other read returns the entries'
const FOLDS = 'a snapshot takes the place of the one before, and snapshots of other folds stay as they are'

/** Appends, and keeps the last snapshot that was accepted. */
function keepingLast(sound: Store): { append: Store['append']; last(): string | undefined } {
  let last: string | undefined
  return {
    async append(append) {
      const outcome = await sound.append(append)
      if (outcome.ok && append.snapshot) last = append.snapshot.body
      return outcome
    },
    last: () => last,
  }
}

/** Stores whose snapshots are not the state of the thread. */
export const brokenSnapshots: readonly BrokenStore[] = [
  {
    name: 'returns all entries beside a snapshot',
    rejectedBy: [READ],
    harness: breakStore((sound) => ({
      async read(threadId, options) {
        const slice = await sound.read(threadId, options)
        return slice.snapshot ? { ...slice, entries: (await sound.read(threadId)).entries } : slice
      },
    })),
  },
  {
    name: 'has one snapshot of a thread, whichever fold made it',
    rejectedBy: [FOLDS],
    harness: breakStore((sound) => ({
      append: (append) =>
        sound.append(append.snapshot ? { ...append, snapshot: { ...append.snapshot, fold: 1 } } : append),
      read: (threadId, options) =>
        sound.read(threadId, options?.snapshot === undefined ? options : { ...options, snapshot: 1 }),
    })),
  },
  {
    name: 'keeps the snapshot of a refused append',
    rejectedBy: ['a refused append leaves the snapshot as it was'],
    harness: breakStore((sound) => {
      let kept: Append['snapshot']
      return {
        async append(append) {
          const outcome = await sound.append(append)
          if (!outcome.ok && append.snapshot) kept = append.snapshot
          return outcome
        },
        async read(threadId, options) {
          const slice = await sound.read(threadId, options)
          return slice.snapshot && kept ? { ...slice, snapshot: { ...slice.snapshot, body: kept.body } } : slice
        },
      }
    }),
  },
  {
    name: 'finds snapshots of other threads',
    rejectedBy: ['snapshots belong to the threads and tenants that they were written for'],
    harness: breakStore((sound) => {
      const { append, last } = keepingLast(sound)
      return {
        append,
        async read(threadId, options) {
          const slice = await sound.read(threadId, options)
          const body = last()
          if (options?.snapshot === undefined || body === undefined) return slice
          return { ...slice, entries: [], snapshot: { version: slice.version, body } }
        },
      }
    }),
  },
  {
    name: 'accepts a snapshot of any state',
    rejectedBy: ['an append that does not say of which state its snapshot is, is refused as invalid'],
    harness: breakStore((sound) => ({
      append: ({ snapshot, ...append }) =>
        sound.append(snapshot && (append.version ?? 0) > 0 ? { ...append, snapshot } : append),
    })),
  },
  {
    name: 'still has the snapshot of an erased thread',
    rejectedBy: ['an erased thread cannot be read from its snapshot'],
    harness: breakStore((sound) => {
      const { append, last } = keepingLast(sound)
      return {
        append,
        read: (threadId, options) =>
          sound.read(threadId, options).catch(async (error: unknown) => {
            const body = last()
            if (options?.snapshot === undefined || body === undefined) throw error
            return { ...(await sound.read('there is no such thread')), snapshot: { version: 1, body } }
          }),
      }
    }),
  },
  {
    name: 'reads no snapshots where it signs',
    rejectedBy: ['signed snapshots are read with a key like others without'],
    harness: breakStore((sound) => ({
      async read(threadId, options) {
        const { mac } = await sound.readHead(threadId)
        return sound.read(threadId, mac ? {} : options)
      },
    })),
  },
]
