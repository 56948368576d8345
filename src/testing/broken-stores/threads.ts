import { type BrokenStore, breakStore } from './broken-store.ts'

/** Stores that hide threads from an auditor, or mix up their tenants. */
export const brokenThreads: readonly BrokenStore[] = [
  {
    name: 'lists only threads that requests point at',
    rejectedBy: ['every thread is listed once, whether a request points at it or not'],
    harness: breakStore((sound) => ({
      async threads() {
        const { requests } = await sound.findRequests({})
        const ids = [...new Set(requests.map(({ threadId }) => threadId))].sort()
        return { threads: ids.map((threadId) => ({ tenantId: sound.tenantId, threadId })) }
      },
    })),
  },
  {
    name: 'lists the threads of its own tenant alone',
    rejectedBy: ['threads of all tenants are listed from the view of any tenant'],
    harness: breakStore((sound) => ({
      async threads(query) {
        const page = await sound.threads(query)
        return { ...page, threads: page.threads.filter(({ tenantId }) => tenantId === sound.tenantId) }
      },
    })),
  },
  {
    name: 'pages threads by their id alone',
    rejectedBy: ['threads come in pages, by tenant and id, without gaps or repeats'],
    harness: breakStore((sound) => ({
      async threads({ limit, after } = {}) {
        const { threads } = await sound.threads({ limit: 500 })
        const rest = threads.filter(({ threadId }) => threadId > (after?.threadId ?? ''))
        const page = rest.slice(0, limit ?? 50)
        const last = page.at(-1)
        return rest.length > page.length && last ? { threads: page, next: last } : { threads: page }
      },
    })),
  },
  {
    name: 'takes anything for a tenant',
    rejectedBy: ['an invalid tenant id is refused, and nothing is stored under it'],
    harness: breakStore((sound) => ({ tenant: (id) => ({ ...sound, tenantId: String(id) }) })),
  },
]
