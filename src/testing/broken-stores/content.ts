import type { StoredEntry } from '../../ports/stored-entry.ts'
import { type BrokenStore, breakStore } from './broken-store.ts'

/** Stores that return something other than what was written. */
export const brokenContent: readonly BrokenStore[] = [
  {
    name: 'stores bodies as values instead of texts',
    rejectedBy: ['bodies come back exactly: spaces, key order and numbers as they were written'],
    harness: breakStore((sound) => ({
      append: (append) => sound.append({ ...append, entries: append.entries.map(rewritten) }),
    })),
  },
  {
    name: 'cuts off what is longer than it takes',
    rejectedBy: ['an entry above the size limit is refused with its whole append'],
    harness: breakStore((sound) => ({
      append: (append) =>
        sound.append({ ...append, entries: append.entries.map((body) => body.slice(0, sound.limits?.entryBytes)) }),
    })),
  },
  {
    name: 'composes letters',
    rejectedBy: ['bodies come back exactly: the same letter composed and decomposed'],
    harness: breakStore((sound) => ({
      append: (append) => sound.append({ ...append, entries: append.entries.map((body) => body.normalize('NFC')) }),
    })),
  },
  {
    name: 'leaves a gap in the numbers after a refused append',
    rejectedBy: ['a refused append does not disturb its neighbours of the same tick'],
    harness: breakStore((sound) => {
      const gaps = new Map<string, number>()
      let last: Promise<unknown> = Promise.resolve()
      return {
        append(append) {
          const outcome = last.then(() => sound.append(append))
          last = outcome.then(
            async ({ ok }) => ok || gaps.set(append.threadId, (await sound.read(append.threadId)).version),
            () => undefined,
          )
          return outcome
        },
        async read(threadId, options) {
          const slice = await sound.read(threadId, options)
          const gap = gaps.get(threadId) ?? Number.POSITIVE_INFINITY
          return { ...slice, entries: slice.entries.map((stored) => shifted(stored, gap)) }
        },
      }
    }),
  },
  {
    name: 'numbers appends of one tick alike',
    rejectedBy: ['appends of one tick to one thread are numbered in the order of the calls'],
    harness: breakStore((sound) => ({
      async append(append) {
        const { version } = await sound.read(append.threadId)
        const outcome = await sound.append(append)
        return outcome.ok ? { ...outcome, version: version + append.entries.length } : outcome
      },
    })),
  },
  {
    name: 'lets time run backwards with the clock',
    rejectedBy: ['time does not run backwards within a thread when the clock does'],
    harness: breakStore((sound, clock) => {
      const times = new Map<string, number[]>()
      return {
        async append(append) {
          const outcome = await sound.append(append)
          if (!outcome.ok) return outcome
          times.set(append.threadId, [...(times.get(append.threadId) ?? []), ...append.entries.map(() => clock.now())])
          return { ...outcome, at: clock.now() }
        },
        async read(threadId, options) {
          const slice = await sound.read(threadId, options)
          const entries = slice.entries.map((stored) => ({ ...stored, at: times.get(threadId)?.[stored.seq - 1] ?? 0 }))
          return { ...slice, entries, now: clock.now() }
        },
      }
    }),
  },
  {
    name: 'tells a reader that knows more than it has that nothing is missing',
    rejectedBy: [
      'a reader that is ahead of the store gets the stored version, and an append at the reader’s version is refused with it',
    ],
    harness: breakStore((sound) => ({
      async read(threadId, options) {
        const slice = await sound.read(threadId, options)
        return { ...slice, version: Math.max(slice.version, options?.after ?? 0) }
      },
    })),
  },
  {
    name: 'stays at the latest time that it was ever told',
    rejectedBy: ['a clock that was a day ahead for one append does not stop the time of a thread'],
    harness: breakStore((sound, clock) => {
      let latest = 0
      return {
        append(append) {
          latest = Math.max(latest, clock.now())
          return sound.append(append)
        },
        async read(threadId, options) {
          const slice = await sound.read(threadId, options)
          return { ...slice, now: Math.max(slice.now, latest) }
        },
      }
    }),
  },
  {
    name: 'links each entry to nothing',
    rejectedBy: ['the chain of a thread verifies after several appends and reads'],
    harness: breakStore((sound) => ({
      async readChain(threadId) {
        return (await sound.readChain(threadId)).map((link) => ({ ...link, hash: new Uint8Array(32) }))
      },
    })),
  },
  {
    name: 'salts all entries alike',
    rejectedBy: ['equal bodies have different salts and hashes'],
    harness: breakStore((sound) => ({
      async readChain(threadId) {
        return (await sound.readChain(threadId)).map((link) => ({ ...link, salt: new Uint8Array(16) }))
      },
    })),
  },
]

function rewritten(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return body
  }
}

function shifted(stored: StoredEntry, gap: number): StoredEntry {
  return stored.seq > gap ? { ...stored, seq: stored.seq + 1 } : stored
}
