import type { Store } from '../../../src/ports/store.ts'

/** What a monitor reports. */
export interface MonitorEvents {
  violation(problem: string): void
  settled(threadId: string): void
  /** Somebody holds the lease on this token. */
  held(threadId: string, token: number): void
}

/** Watches every append that a store accepts: two processes never hold one lease, and time guards hold. */
export function monitored(store: Store, events: MonitorEvents): Store {
  return {
    ...store,
    async append(append) {
      const { threadId, lease } = append
      const before = lease?.op === 'take' ? await store.read(threadId, { after: Number.MAX_SAFE_INTEGER }) : undefined
      const outcome = await store.append(append)
      if (!outcome.ok) return outcome
      const holder = before?.lease?.holder
      if (lease?.op === 'take' && holder !== undefined && holder !== lease.holder)
        events.violation(`one driver: ${threadId} was taken while its lease was held`)
      if (outcome.lease) events.held(threadId, outcome.lease.token)
      if (append.entries.some((body) => body.includes('"type":"run.settled"'))) events.settled(threadId)
      return outcome
    },
    tenant: (id) => monitored(store.tenant(id), events),
  }
}
