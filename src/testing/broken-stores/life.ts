import type { Store } from '../../ports/store.ts'
import type { RequestPage } from '../../ports/store-lists.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { fakeClock } from '../fake-clock.ts'
import type { StoreHarness } from '../store-suite/store-case.ts'
import { type BrokenStore, breakStore } from './broken-store.ts'

/** Stores that lose data, leak it between tenants, miss wake-ups or work after they are closed. */
export const brokenLife: readonly BrokenStore[] = [
  {
    name: 'acknowledges an append before it is stored',
    rejectedBy: ['a fulfilled append can be read at once'],
    harness: breakStore((sound) => ({
      async append(append) {
        const { version, head, now, lease } = await sound.read(append.threadId)
        setTimeout(() => sound.append(append).catch(() => undefined), 1)
        return { ok: true, version: version + append.entries.length, head, at: now, lease }
      },
    })),
  },
  {
    name: 'keeps the last acknowledged append to itself',
    rejectedBy: [
      'a reopened store has everything that was acknowledged',
      'a second handle reads an acknowledged append at once',
    ],
    harness: lazilyDurable,
  },
  {
    name: 'shows every tenant the same data',
    rejectedBy: [
      'threads of the same id have their own entries, versions and chains in each tenant',
      'leases of the same thread id are separate in each tenant',
      'requests are found, read and changed only by their own tenant',
      'a waiter is not woken by the thread of the same id of another tenant',
    ],
    harness: breakStore((sound) => ({ tenant: (id) => sharedTenant(sound, id) })),
  },
  {
    name: 'finds requests of all tenants',
    rejectedBy: ['requests are found, read and changed only by their own tenant'],
    harness: breakStore((sound) => ({
      findRequests: (query) => sound.tenant('default').findRequests(query),
    })),
  },
  {
    name: 'pages by position instead of by key',
    rejectedBy: ['pages stay stable while requests are opened and decided'],
    harness: breakStore((sound) => ({
      async findRequests({ cursor, limit = 50, ...query }): Promise<RequestPage> {
        await sound.findRequests({ limit })
        const { requests } = await sound.findRequests({ ...query, limit: 500 })
        const start = Number(cursor ?? 0)
        const page = requests.slice(start, start + limit)
        return start + limit < requests.length ? { requests: page, next: String(start + limit) } : { requests: page }
      },
    })),
  },
  {
    name: 'forgets a filter when it is not alone',
    rejectedBy: ['requests are found by every combination of filters, newest first'],
    harness: breakStore((sound) => ({
      findRequests({ agent, ...query }) {
        const alone = query.status === undefined && query.tool === undefined
        return sound.findRequests(agent !== undefined && alone ? { ...query, agent } : query)
      },
    })),
  },
  {
    name: 'never wakes a waiter',
    rejectedBy: ['every waiter is woken when its thread grows past what it has seen, and none before'],
    harness: breakStore((sound) => ({
      async changed(threadId, { after, signal }) {
        if ((await sound.read(threadId)).version > after || signal.aborted) return
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      },
    })),
  },
  {
    name: 'does not let go of a waiter whose signal fires',
    rejectedBy: ['a wait ends when its signal fires, and does not disturb other waits'],
    harness: breakStore((sound) => ({
      changed: (threadId, { after }) => sound.changed(threadId, { after, signal: new AbortController().signal }),
    })),
  },
  {
    name: 'goes on after it was closed',
    rejectedBy: [
      'every call on every view of a closed store fails with StoreClosed, and closing it again does nothing',
    ],
    harness: breakStore(() => ({ close: async () => undefined })),
  },
  {
    name: 'drops what was begun when it is closed',
    rejectedBy: ['closing waits for appends that were begun'],
    harness: breakStore((sound) => {
      let closed = false
      return {
        async append(append) {
          await new Promise((resolve) => setImmediate(resolve))
          return closed ? { ok: false, conflict: { kind: 'version', version: 0 }, now: 0 } : sound.append(append)
        },
        async close() {
          closed = true
          await sound.close()
        },
      }
    }),
  },
]

function sharedTenant(sound: Store, id: string): Store {
  return { ...sound, tenantId: id, tenant: (other) => sharedTenant(sound, other) }
}

/** Writes each append to the shared "disk" only when the next one arrives. */
function lazilyDurable(): StoreHarness {
  const clock = fakeClock()
  const disks = new WeakMap<Store, Store>()
  const handle = (disk: Store): Store => {
    const own = memoryStore({ clock })
    let held: Parameters<Store['append']>[0] | undefined
    const store: Store = {
      ...own,
      async append(append) {
        if (held) await disk.append(held)
        held = append
        return own.append(append)
      },
    }
    disks.set(store, disk)
    return store
  }
  return {
    clock,
    create: async () => handle(memoryStore({ clock })),
    reopen: async (store) => disks.get(store)!,
  }
}
