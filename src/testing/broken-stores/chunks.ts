import { FEW_CHUNKS } from '../../ports/snapshot.ts'
import type { Append, Store, ThreadSlice } from '../../ports/store.ts'
import { type BrokenStore, breakStore, type Fault } from './broken-store.ts'

const ORDER = 'chunks are read in the order of their numbers, with the snapshot and only if they are asked for'
const FEW = 'chunks that are asked for only if they are few and short are all there, or none is'
const OWN = 'chunks belong to the threads, tenants and folds that they were written for'

/** Changes the chunks of each read that has some. */
function changed(change: (chunks: string[], threadId: string) => string[]): Fault {
  return (sound) => ({
    read: async (threadId, options) => withChunks(await sound.read(threadId, options), (own) => change(own, threadId)),
  })
}

function withChunks(slice: ThreadSlice, change: (chunks: string[]) => string[]): ThreadSlice {
  const { snapshot } = slice
  return snapshot?.chunks ? { ...slice, snapshot: { ...snapshot, chunks: change(snapshot.chunks) } } : slice
}

/** Writes other chunks, or none, than it was given. */
function writing(change: (chunks: NonNullable<Chunks>) => Chunks): Fault {
  return (sound) => ({
    append({ snapshot, ...append }) {
      const { chunks, ...rest } = snapshot ?? {}
      const written = chunks && change(chunks)
      const taken = { ...(rest as NonNullable<typeof snapshot>), ...(written && { chunks: written }) }
      return sound.append(snapshot ? { ...append, snapshot: taken } : append)
    },
  })
}

type Chunks = NonNullable<Append['snapshot']>['chunks']

/** Appends, and remembers the chunks of those appends that `counts`. */
function remembering(sound: Store, counts: (accepted: boolean) => boolean) {
  const kept: string[] = []
  const append: Store['append'] = async (given) => {
    const outcome = await sound.append(given)
    if (counts(outcome.ok)) kept.push(...(given.snapshot?.chunks?.bodies ?? []))
    return outcome
  }
  return { kept, append }
}

/** Stores whose chunks are not what was written. */
export const brokenChunks: readonly BrokenStore[] = [
  {
    name: 'loses the first chunk',
    rejectedBy: [ORDER],
    harness: breakStore(changed(([, ...rest]) => rest)),
  },
  {
    name: 'returns chunks in the order of their text',
    rejectedBy: [ORDER],
    harness: breakStore(changed((chunks) => [...chunks].sort())),
  },
  {
    name: 'returns chunks that nobody asked for',
    rejectedBy: [ORDER],
    harness: breakStore((sound) => ({
      read: (threadId, options) =>
        sound.read(threadId, options?.snapshot === undefined ? options : { ...options, chunks: true }),
    })),
  },
  {
    name: 'returns many chunks where only a few were wanted',
    rejectedBy: [FEW],
    harness: breakStore((sound) => ({
      read: (threadId, options) =>
        sound.read(threadId, options?.chunks === 'few' ? { ...options, chunks: true } : options),
    })),
  },
  {
    name: 'returns the first of many chunks',
    rejectedBy: [FEW],
    harness: breakStore((sound) => ({
      async read(threadId, options) {
        if (options?.chunks !== 'few') return sound.read(threadId, options)
        return withChunks(await sound.read(threadId, { ...options, chunks: true }), (chunks) =>
          chunks.slice(0, FEW_CHUNKS),
        )
      },
    })),
  },
  {
    name: 'keeps no chunks',
    rejectedBy: [ORDER],
    harness: breakStore(writing(() => undefined)),
  },
  {
    name: 'cuts long chunks off',
    rejectedBy: ['chunks are stored byte for byte, however long they are and whatever is in them'],
    harness: breakStore(changed((chunks) => chunks.map((chunk) => chunk.slice(0, 65_536)))),
  },
  {
    name: 'joins chunks with a character that may be in them',
    rejectedBy: ['chunks are stored byte for byte, however long they are and whatever is in them'],
    harness: breakStore(changed((chunks) => (chunks.length > 0 ? chunks.join('\u001e').split('\u001e') : []))),
  },
  {
    name: 'adds chunks at the end, whatever their number is',
    rejectedBy: ['a chunk that is written again takes the place of the one before, and the others stay as they are'],
    harness: breakStore((sound) => {
      const { kept, append } = remembering(sound, (accepted) => accepted)
      return {
        append,
        read: async (threadId, options) => withChunks(await sound.read(threadId, options), () => [...kept]),
      }
    }),
  },
  {
    name: 'keeps the chunks of a refused append',
    rejectedBy: ['a refused append leaves the chunks as they were'],
    harness: breakStore((sound) => {
      const { kept, append } = remembering(sound, (accepted) => !accepted)
      return {
        append,
        read: async (threadId, options) =>
          withChunks(await sound.read(threadId, options), (chunks) => [...chunks, ...kept]),
      }
    }),
  },
  {
    name: 'has the chunks of all folds in one place',
    rejectedBy: [OWN],
    harness: breakStore((sound) => {
      const { kept, append } = remembering(sound, (accepted) => accepted)
      return {
        append,
        read: async (threadId, options) => withChunks(await sound.read(threadId, options), () => kept.slice(-1)),
      }
    }),
  },
  {
    name: 'finds chunks of other threads and tenants',
    rejectedBy: [OWN],
    harness: () => {
      const all: string[] = []
      const keep: Fault = (sound) => ({
        async append(append) {
          const outcome = await sound.append(append)
          if (outcome.ok) all.push(...(append.snapshot?.chunks?.bodies ?? []))
          return outcome
        },
        read: async (threadId, options) => withChunks(await sound.read(threadId, options), () => [...all]),
      })
      return breakStore(keep)()
    },
  },
  {
    name: 'numbers chunks as it likes',
    rejectedBy: ['chunks without a number from 1 on are refused as invalid'],
    harness: breakStore(writing(({ bodies }) => ({ first: 1, bodies: bodies.map(String) }))),
  },
  {
    name: 'reads no chunks where it signs',
    rejectedBy: ['chunks are read with an audit key like others without'],
    harness: breakStore((sound) => ({
      async read(threadId, options) {
        const { mac } = await sound.readHead(threadId)
        return sound.read(threadId, mac ? { ...options, chunks: false } : options)
      },
    })),
  },
  {
    name: 'still has the chunks of an erased thread',
    rejectedBy: ['an erased thread has no chunks'],
    harness: breakStore((sound) => {
      const { kept, append } = remembering(sound, (accepted) => accepted)
      return {
        append,
        read: (threadId, options) =>
          sound.read(threadId, options).catch(async (error: unknown) => {
            if (!options?.chunks) throw error
            const snapshot = { version: 1, body: '', chunks: kept }
            return { ...(await sound.read('there is no such thread')), snapshot }
          }),
      }
    }),
  },
]
