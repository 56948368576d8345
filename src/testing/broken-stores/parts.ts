import type { StoredEntry } from '../../ports/stored-entry.ts'
import type { PartQuery, ThreadPart } from '../../ports/thread-part.ts'
import { type BrokenStore, breakStore } from './broken-store.ts'

const BACK = 'the last entries before a number are read back, in order, as many as there are'

type Change = (part: ThreadPart, entries: readonly StoredEntry[], query: PartQuery) => ThreadPart

/** A store that reads parts wrongly. `change` gets the right part, and the whole thread. */
function wrongParts(change: Change) {
  return breakStore((sound) => ({
    async readBack(threadId, query = {}) {
      const part = await sound.readBack(threadId, query)
      return change(part, (await sound.read(threadId)).entries, query)
    },
  }))
}

/** Stores that read parts of threads wrongly. */
export const brokenParts: readonly BrokenStore[] = [
  {
    name: 'reads the first entries back instead of the last',
    rejectedBy: [BACK, 'long parts, and parts with long bodies and any text, are read back as they were written'],
    harness: wrongParts((part, entries, { before = Number.POSITIVE_INFINITY, limit = 50 }) => ({
      ...part,
      entries: entries.filter(({ seq }) => seq < before).slice(0, limit),
    })),
  },
  {
    name: 'reads the entry back that it was to stop before',
    rejectedBy: [BACK],
    harness: wrongParts((part, entries, { before = 0 }) => {
      const next = entries.find(({ seq }) => seq === before)
      return next ? { ...part, entries: [...part.entries, next] } : part
    }),
  },
  {
    name: 'reads the newest entries back first',
    rejectedBy: [BACK],
    harness: wrongParts((part) => ({ ...part, entries: part.entries.toReversed() })),
  },
  {
    name: 'says that a thread ends with the part that is read',
    rejectedBy: [BACK],
    harness: wrongParts((part) => ({ ...part, version: part.entries.at(-1)?.seq ?? 0 })),
  },
  {
    name: 'reads parts of erased threads',
    rejectedBy: ['an erased thread can neither be read nor written, nor erased again'],
    harness: breakStore((sound) => ({
      readBack: (threadId, query) =>
        sound.readBack(threadId, query).catch(() => ({ version: 0, entries: [] as StoredEntry[] })),
    })),
  },
]
