import type { OutboxRow } from '../../ports/outbox.ts'
import type { RecordChange, StoredRecord } from '../../ports/records.ts'
import type { Append, Store } from '../../ports/store.ts'
import { type BrokenStore, breakStore } from './broken-store.ts'

const LOST_ROWS = 'a reader that goes on from the end of a page gets every row once, while many write'
const REFUSED_IS_SILENT = 'an append that is refused tells nothing, and one of several changes tells all of them'

/** Stores that lose or invent rows of the outbox. */
export const brokenOutboxes: readonly BrokenStore[] = [
  {
    name: 'skips rows of the outbox that are shown late',
    rejectedBy: [LOST_ROWS],
    harness: breakStore((sound) => {
      // Numbers are given when a transaction begins: every fifth one is committed after the next.
      const late = ({ position }: OutboxRow, last: string) => Number(position) % 5 === 0 && position === last
      return {
        async outbox(query) {
          const page = await sound.outbox(query)
          const rows = page.rows.filter((row) => !late(row, page.end))
          return { ...page, rows }
        },
      }
    }),
  },
  {
    name: 'writes the outbox outside of the transaction',
    rejectedBy: [REFUSED_IS_SILENT],
    harness: breakStore((sound) => ({
      async append(append) {
        await tellOnly(sound, append)
        return sound.append(append)
      },
    })),
  },
  {
    name: 'does not say that rows of the outbox were deleted',
    rejectedBy: ['a position before rows that were deleted is said to have missed some, and no other'],
    harness: breakStore((sound) => ({ outbox: async (query) => ({ ...(await sound.outbox(query)), missed: false }) })),
  },
  {
    name: 'shows a tenant the outbox of others',
    rejectedBy: ['the outbox of one tenant has its rows alone, in pages, and does not show how many others there are'],
    harness: breakStore((sound) => ({ outbox: ({ tenantId: _, ...query } = {}) => sound.outbox(query) })),
  },
  {
    name: 'shows the outbox of one tenant alone',
    rejectedBy: ['the outbox is of all tenants, from the view of any of them'],
    harness: breakStore((sound) => ({
      async outbox(query) {
        const page = await sound.outbox(query)
        return { ...page, rows: page.rows.filter(({ tenantId }) => tenantId === 'a') }
      },
    })),
  },
]

/** Opens the requests of an append in another thread, so that only the outbox and the index know of them. */
async function tellOnly(store: Store, { requests = [] }: Append): Promise<void> {
  for (const change of requests) {
    if (change.op === 'open' && change.row.id.endsWith('1'))
      await store.tenant('elsewhere').append({ threadId: 'x', entries: ['{}'], requests: [{ ...change, entry: 0 }] })
  }
}

/** Stores that ignore the guards or the end of records. */
export const brokenRecords: readonly BrokenStore[] = [
  {
    name: 'ignores the guard of a record',
    rejectedBy: ['a record whose guard refuses is named, and no change of its write is made'],
    harness: breakStore((sound) => ({ writeRecords: (changes) => sound.writeRecords(changes.map(unguarded)) })),
  },
  {
    name: 'ignores the guards of the records of an append',
    rejectedBy: ['records of an append are written with it, and a record that refuses keeps all of it out'],
    harness: breakStore((sound) => ({
      append: (append) => sound.append(append.records ? { ...append, records: append.records.map(unguarded) } : append),
    })),
  },
  {
    name: 'writes the records of an append after it',
    rejectedBy: ['records of an append are written with it, and a record that refuses keeps all of it out'],
    harness: breakStore((sound) => ({
      async append({ records, ...append }) {
        const outcome = await sound.append(append)
        if (records) await sound.writeRecords(records)
        return outcome
      },
    })),
  },
  {
    name: 'returns a record that has expired',
    rejectedBy: ['an expired record is absent: to reads, lists, guards and after pruning'],
    harness: breakStore((sound) => {
      const seen = new Map<string, StoredRecord>()
      return {
        async writeRecords(changes) {
          const outcome = await sound.writeRecords(changes)
          for (const { kind, id } of changes) {
            const record = await sound.readRecord(kind, id)
            if (record) seen.set(`${kind} ${id}`, record)
          }
          return outcome
        },
        readRecord: async (kind, id) => seen.get(`${kind} ${id}`),
      }
    }),
  },
  {
    name: 'remembers records that it read together',
    rejectedBy: ['records that are read together are as they are now: each once, without those that are gone'],
    harness: breakStore((sound) => {
      const seen = new Map<string, StoredRecord>()
      return {
        async readRecords(kind, ids) {
          const unknown = ids.filter((id) => !seen.has(`${kind} ${id}`))
          for (const record of await sound.readRecords(kind, unknown)) seen.set(`${kind} ${record.id}`, record)
          return [...new Set(ids)].flatMap((id) => seen.get(`${kind} ${id}`) ?? [])
        },
      }
    }),
  },
]

function unguarded({ expect: _, ...change }: RecordChange): RecordChange {
  return change
}

/** Stores that count, or list, what a reader may not see. */
export const brokenLists: readonly BrokenStore[] = [
  {
    name: 'counts before it filters',
    rejectedBy: [
      'counts filter first and then stop at their limit',
      'lists and counts contain only what the given readers may see',
    ],
    harness: breakStore((sound) => ({
      countRequests: ({ readers: _, ...query }, options) => sound.countRequests(query, options),
    })),
  },
  {
    name: 'cuts a list before it filters',
    rejectedBy: ['counts filter first and then stop at their limit'],
    harness: breakStore((sound) => ({
      async countRequests(query, { limit = 1000 } = {}) {
        const { requests } = await sound.findRequests({ limit: Math.min(limit, 500) })
        const { count } = await sound.countRequests(query, { limit })
        return { count: Math.min(count, requests.length), more: requests.length === limit && count < limit }
      },
    })),
  },
  {
    name: 'cuts the names of threads short that a list asks for',
    rejectedBy: ['lists and counts of threads whose names begin alike contain all of their requests, and no others'],
    harness: breakStore((sound) => ({
      findRequests: ({ threadsUnder, ...query }) =>
        sound.findRequests(
          threadsUnder ? { ...query, threadsUnder: threadsUnder.map((start) => start.slice(0, -1)) } : query,
        ),
    })),
  },
  {
    name: 'matches the beginning of a reader’s name',
    rejectedBy: ['lists and counts contain only what the given readers may see'],
    harness: breakStore((sound) => ({
      findRequests: ({ readers, ...query }) =>
        sound.findRequests(
          readers ? { ...query, readers: readers.flatMap((name) => [name, `${name}n`, `user:${name}`]) } : query,
        ),
    })),
  },
  {
    name: 'counts a request for who is in one of its reviewer lists',
    rejectedBy: ['who may decide a request with several reviewer lists is known before it is listed or counted'],
    harness: breakStore((sound) => ({
      countRequests: ({ satisfiedBy, ...query }, options) =>
        sound.countRequests(satisfiedBy ? { ...query, readers: [...satisfiedBy, '*'] } : query, options),
    })),
  },
  {
    name: 'orders changes by the age of their request',
    rejectedBy: ['a list by changes begins with the request that was opened or changed last'],
    harness: breakStore((sound) => ({ findRequests: ({ order: _, ...query }) => sound.findRequests(query) })),
  },
  {
    name: 'counts the hidden requests of a thread',
    rejectedBy: ['threads of a reader have requests that the reader may see, and count only those'],
    harness: breakStore((sound) => ({
      async threadsOf(query) {
        const page = await sound.threadsOf(query)
        const threads = page.threads.map(async (thread) => {
          const { count } = await sound.countRequests({ threadId: thread.threadId, status: 'open' })
          return { ...thread, open: count }
        })
        return { ...page, threads: await Promise.all(threads) }
      },
    })),
  },
  {
    name: 'lets anybody claim a request that somebody has',
    rejectedBy: ['an open request can be assigned from any thread, and claimed unless somebody else has it'],
    harness: breakStore((sound) => ({
      append: (append) =>
        sound.append({
          ...append,
          ...(append.requests && {
            requests: append.requests.map((change) => {
              if (change.op !== 'assign') return change
              const { claim: _, ...rest } = change
              return rest
            }),
          }),
        }),
    })),
  },
]
