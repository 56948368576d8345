import { type BrokenStore, breakStore } from './broken-store.ts'

/** Stores that make a sweeper spin, or hide overdue requests from it. */
export const brokenDue: readonly BrokenStore[] = [
  {
    name: 'finds requests before they are due',
    rejectedBy: ['a request is due from its deadline on, by the clock of the store, and the next deadline is returned'],
    harness: breakStore((sound, clock) => ({
      async due(query) {
        const time = clock.now()
        clock.advance(1)
        const page = await sound.due(query)
        clock.set(time)
        return { ...page, now: time }
      },
    })),
  },
  {
    name: 'finds requests that were settled',
    rejectedBy: ['requests that are settled are not due, and one that is open again is'],
    harness: breakStore((sound) => ({
      async due(query) {
        const page = await sound.due(query)
        const { requests } = await sound.findRequests({ status: 'decided' })
        const settled = requests.map(({ id, expiresAt }) => ({
          tenantId: sound.tenantId,
          id,
          expiresAt: expiresAt ?? 0,
        }))
        return { ...page, requests: [...page.requests, ...settled] }
      },
    })),
  },
  {
    name: 'keeps the deadline of a request that was passed on',
    rejectedBy: ['a change can remove the deadline of a request for good'],
    harness: breakStore((sound) => ({
      append: (append) =>
        sound.append({
          ...append,
          requests: (append.requests ?? []).map((change) => {
            if (change.op !== 'change') return change
            const { dropDeadline: _, ...kept } = change
            return kept
          }),
        }),
    })),
  },
  {
    name: 'finds what is due in its own tenant alone',
    rejectedBy: ['due requests of all tenants are found from the view of any tenant'],
    harness: breakStore((sound) => ({
      async due(query) {
        const page = await sound.due(query)
        return { ...page, requests: page.requests.filter(({ tenantId }) => tenantId === sound.tenantId) }
      },
    })),
  },
  {
    name: 'counts the queue of its own tenant alone',
    rejectedBy: ['the queue has the open requests of all tenants, and when the oldest of them was opened'],
    harness: breakStore((sound) => ({
      async queue() {
        const { count } = await sound.countRequests({ status: 'open' })
        return { ...(await sound.queue()), open: count }
      },
    })),
  },
  {
    name: 'counts a queue without an end',
    rejectedBy: ['the queue is counted up to ten thousand'],
    harness: breakStore((sound) => ({
      async queue() {
        const queue = await sound.queue()
        return queue.more ? { ...queue, open: queue.open + 1 } : queue
      },
    })),
  },
  {
    name: 'pages what is due by time alone',
    rejectedBy: ['due requests come in pages, longest overdue first, also with equal deadlines'],
    harness: breakStore((sound) => ({
      due({ after, ...query } = {}) {
        return sound.due(after ? { ...query, after: { ...after, id: '~' } } : query)
      },
    })),
  },
]
