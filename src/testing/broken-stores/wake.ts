import type { Append, Store } from '../../ports/store.ts'
import { type BrokenStore, breakStore, type Fault } from './broken-store.ts'

/** Changes each append before it reaches a sound store. */
function altered(
  alter: (append: Append, sound: Store) => Append | Promise<Append>,
): () => ReturnType<BrokenStore['harness']> {
  const fault: Fault = (sound) => ({ append: async (append) => sound.append(await alter(append, sound)) })
  return breakStore(fault)
}

/** Stores that lose wake-ups, or wake drivers for nothing. */
export const brokenWakeMarks: readonly BrokenStore[] = [
  {
    name: 'forgets wake marks',
    rejectedBy: ['a thread has no wake mark until an append gives it one'],
    harness: altered(({ wake: _, ...append }) => append),
  },
  {
    name: 'clears the wake mark with every append that does not mention it',
    rejectedBy: ['a thread has no wake mark until an append gives it one'],
    harness: altered(async (append, sound) => {
      if (append.wake || append.version !== undefined) return append
      const { version } = await sound.read(append.threadId)
      return version === 0 ? append : { ...append, version, wake: { op: 'set', at: null } }
    }),
  },
  {
    name: 'puts a wake mark off',
    rejectedBy: ['a wake mark comes earlier by `by`, never later, and is replaced by `set`'],
    harness: altered(async (append, sound) => {
      if (append.wake?.op !== 'by' || append.wake.tell) return append
      const { version, now } = await sound.read(append.threadId)
      return { version, ...append, wake: { op: 'set', at: now + append.wake.inMs } }
    }),
  },
  {
    name: 'changes the wake mark although the append is refused',
    rejectedBy: ['a refused append leaves the wake mark as it was'],
    harness: breakStore((sound) => ({
      async append(append) {
        const outcome = await sound.append(append)
        if (outcome.ok || !append.wake) return outcome
        const { version } = await sound.read(append.threadId)
        await sound.append({ threadId: append.threadId, entries: [], version, wake: append.wake })
        return outcome
      },
    })),
  },
  {
    name: 'forgets whose run it is once nothing is left to drive',
    rejectedBy: ['the agent of the latest run is kept with the thread until another run opens'],
    harness: breakStore((sound) => ({
      async read(threadId, options) {
        const slice = await sound.read(threadId, options)
        const forgotten = { ...slice.wake, agent: null, agentVersion: null }
        return slice.wake.at === null ? { ...slice, wake: forgotten } : slice
      },
    })),
  },
  {
    name: 'finds threads ready before their time',
    rejectedBy: [
      'a thread is ready from its wake time on, by the clock of the store, and the next wake time is returned',
    ],
    harness: breakStore((sound, clock) => ({
      async ready(query) {
        const time = clock.now()
        clock.advance(1)
        const page = await sound.ready(query)
        clock.set(time)
        return { ...page, now: time }
      },
    })),
  },
  {
    name: 'hands out threads that are being driven',
    rejectedBy: [
      'a thread is not ready while its lease is held, and is again once the lease was dropped or has expired',
    ],
    harness: breakStore((sound) => {
      const marked = new Map<string, string>()
      return {
        append(append) {
          if (append.wake) marked.set(append.threadId, sound.tenantId)
          return sound.append(append)
        },
        async ready(query) {
          const page = await sound.ready(query)
          for (const threadId of marked.keys()) {
            const { wake, lease } = await sound.read(threadId)
            if (wake.at !== null && wake.at <= page.now && lease)
              page.threads.push({ tenantId: sound.tenantId, threadId, ...wake, at: wake.at })
          }
          return page
        },
      }
    }),
  },
  {
    name: 'keeps threads back for a lease that a wrong clock gave',
    rejectedBy: ['a lease that a clock far ahead gave does not hide a thread that must be driven'],
    harness: breakStore((sound) => {
      const until = new Map<string, number>()
      return {
        async append(append) {
          const outcome = await sound.append(append)
          if (outcome.ok && outcome.lease) until.set(append.threadId, outcome.lease.until)
          return outcome
        },
        async ready(query) {
          const page = await sound.ready(query)
          return { ...page, threads: page.threads.filter(({ threadId }) => (until.get(threadId) ?? 0) <= page.now) }
        },
      }
    }),
  },
  {
    name: 'finds ready threads of its own tenant alone',
    rejectedBy: ['threads of all tenants are found ready from the view of any tenant, in pages, longest due first'],
    harness: breakStore((sound) => ({
      async ready(query) {
        const page = await sound.ready(query)
        return { ...page, threads: page.threads.filter(({ tenantId }) => tenantId === sound.tenantId) }
      },
    })),
  },
  {
    name: 'pages ready threads by time alone',
    rejectedBy: ['threads of all tenants are found ready from the view of any tenant, in pages, longest due first'],
    harness: breakStore((sound) => ({
      ready({ after, ...query } = {}) {
        return sound.ready(after ? { ...query, after: { ...after, tenantId: '~', threadId: '~' } } : query)
      },
    })),
  },
  {
    name: 'tells nobody of a thread',
    rejectedBy: ['an append that tells of its thread adds a row to the outbox, and others do not'],
    harness: altered((append) =>
      append.wake?.op === 'by' ? { ...append, wake: { op: 'by', inMs: append.wake.inMs } } : append,
    ),
  },
  {
    name: 'accepts an append before its time',
    rejectedBy: ['an append is refused before its time, by the clock of the store, and changes nothing'],
    harness: altered(({ notBefore: _, ...append }) => append),
  },
  {
    name: 'keeps whatever wake mark it is given',
    rejectedBy: ['a wake mark that no store could keep is refused'],
    harness: altered(async (append, sound) => {
      if (append.wake?.op !== 'set' || append.version !== undefined) return append
      return { ...append, version: (await sound.read(append.threadId)).version }
    }),
  },
]
