import type { Store } from '../../../ports/store.ts'

/** The ids of a tenant's threads after one of them, by id. The store lists threads of all tenants by tenant: this reads no further than its own. */
export async function* threadsOfTenant(store: Store, after = ''): AsyncGenerator<string> {
  let from: { tenantId: string; threadId: string } | undefined = { tenantId: store.tenantId, threadId: after }
  while (from) {
    const page: Awaited<ReturnType<Store['threads']>> = await store.threads({ after: from, limit: 100 })
    for (const { tenantId, threadId } of page.threads) {
      if (tenantId !== store.tenantId) return
      yield threadId
    }
    from = page.next
  }
}
