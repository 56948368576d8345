import type { Append, Store } from '../../ports/store.ts'
import type { StoredRequest } from '../../ports/store-lists.ts'
import type { ChainedEntry } from '../../ports/stored-entry.ts'
import { HoldpointError } from '../../protocol/errors/error-base.ts'
import { type BrokenStore, breakStore } from './broken-store.ts'

const REPLACED = 'erasing a thread replaces every earlier body and salt, and the chain still verifies'
const LISTED = 'requests and grants of an erased thread are in no list, count or look-up'
const WRITTEN = 'an erased thread can neither be read nor written, nor erased again'

function isErased(error: unknown): boolean {
  return HoldpointError.isInstance(error) && error.code === 'thread_erased'
}

/** A thread's chain as it was before it was erased. */
function rememberingChains(
  sound: Store,
  alter: (now: ChainedEntry, was: ChainedEntry) => ChainedEntry,
): Partial<Store> {
  const chains = new Map<string, ChainedEntry[]>()
  return {
    async append(append) {
      const chain = append.erase ? await sound.readChain(append.threadId) : undefined
      const outcome = await sound.append(append)
      if (chain && outcome.ok) chains.set(append.threadId, chain)
      return outcome
    },
    async readChain(threadId) {
      const before = chains.get(threadId) ?? []
      return (await sound.readChain(threadId)).map((now, index) => {
        const was = before[index]
        return was ? alter(now, was) : now
      })
    },
  }
}

/** Stores that keep what was erased, lose what proves it, or go on with an erased thread. */
export const brokenErasure: readonly BrokenStore[] = [
  {
    name: 'records that a thread was erased, and erases nothing',
    rejectedBy: [REPLACED],
    harness: breakStore((sound) => ({
      append: ({ erase: _, ...append }: Append) => sound.append(append),
    })),
  },
  {
    name: 'keeps the salts of erased bodies',
    rejectedBy: [REPLACED],
    harness: breakStore((sound) => rememberingChains(sound, (now, { salt }) => ({ ...now, salt }))),
  },
  {
    name: 'writes an erased entry as a new one',
    rejectedBy: [REPLACED],
    harness: breakStore((sound) => rememberingChains(sound, (now) => ({ ...now, at: now.at + 1 }))),
  },
  {
    name: 'signs an erased thread no more',
    rejectedBy: ['the head of an erased thread is signed like any other'],
    harness: breakStore((sound) => ({
      async readHead(threadId) {
        const head = await sound.readHead(threadId)
        return head.erased ? { ...head, mac: null } : head
      },
    })),
  },
  {
    name: 'reads an erased thread as if it never existed',
    rejectedBy: [WRITTEN],
    harness: breakStore((sound) => ({
      read: (threadId, options) =>
        sound.read(threadId, options).catch((error: unknown) => {
          if (!isErased(error)) throw error
          return sound.read('there is no such thread')
        }),
    })),
  },
  {
    name: 'accepts what a late worker appends to an erased thread',
    rejectedBy: [WRITTEN],
    harness: breakStore((sound) => ({
      append: (append) =>
        sound.append(append).catch((error: unknown) => {
          if (!isErased(error)) throw error
          return { ok: true, version: 1, head: '', at: 0, lease: null } as const
        }),
    })),
  },
  {
    name: 'still finds the requests of an erased thread',
    rejectedBy: [LISTED],
    harness: breakStore((sound) => {
      const gone = new Map<string, StoredRequest>()
      return {
        async append(append) {
          const { requests } = append.erase ? await sound.findRequests({ threadId: append.threadId }) : { requests: [] }
          const outcome = await sound.append(append)
          if (outcome.ok) for (const request of requests) gone.set(request.id, request)
          return outcome
        },
        getRequest: async (id) => (await sound.getRequest(id)) ?? gone.get(id),
      }
    }),
  },
  {
    name: 'erases a thread, and tells nobody',
    rejectedBy: ['an erasure is told in the outbox, with the id of the thread and nothing else'],
    harness: breakStore((sound) => ({
      async outbox(query) {
        const page = await sound.outbox(query)
        return { ...page, rows: page.rows.filter(({ what }) => what !== 'erased') }
      },
    })),
  },
  {
    name: 'erases a thread although the append is refused',
    rejectedBy: ['an append that erases is refused like any other, and then erases nothing'],
    harness: breakStore((sound) => ({
      append: ({ lease, ...append }: Append) =>
        append.erase || !lease ? sound.append(append) : sound.append({ ...append, lease }),
    })),
  },
  {
    name: 'erases whatever it is told to',
    rejectedBy: ['an append that would erase what its entries do not account for is refused'],
    harness: breakStore((sound) => ({
      async append(append) {
        if (!append.erase || append.version !== undefined) return sound.append(append)
        return sound.append({ ...append, version: (await sound.readHead(append.threadId)).version })
      },
    })),
  },
  {
    name: 'lists threads that were written since, or erased',
    rejectedBy: ['threads are listed by the time of their last write, without erased ones'],
    harness: breakStore((sound) => ({
      threads: ({ before: _, ...query } = {}) => sound.threads(query),
    })),
  },
]
