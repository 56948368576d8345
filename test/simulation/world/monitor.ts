import type { Store } from '../../../src/ports/store.ts'
import type { ErasedThread } from '../../support/checker/evidence.ts'
import { nameOf } from '../engine/network.ts'

/** What a monitor reports. Threads have the names of stories. */
export interface MonitorEvents {
  violation(problem: string): void
  settled(thread: string): void
  /** Somebody holds the lease on this token. */
  held(thread: string, token: number): void
  /** An operator has moved its run to another version. */
  moved(thread: string): void
  /** Its bodies were replaced. */
  erased(thread: ErasedThread): void
}

/** Watches every append that a store accepts: two processes never hold one lease, and time guards hold. */
export function monitored(store: Store, events: MonitorEvents): Store {
  return {
    ...store,
    async append(append) {
      const { threadId, lease } = append
      const before = lease?.op === 'take' ? await store.read(threadId, { after: Number.MAX_SAFE_INTEGER }) : undefined
      const wrote = (type: string): boolean => append.entries.some((body) => body.includes(`"type":"${type}"`))
      const chain = wrote('erased') ? await store.readChain(threadId) : undefined
      const outcome = await store.append(append)
      if (!outcome.ok) return outcome
      const thread = nameOf(store.tenantId, threadId)
      const holder = before?.lease?.holder
      if (lease?.op === 'take' && holder !== undefined && holder !== lease.holder)
        events.violation(`one driver: ${thread} was taken while its lease was held`)
      if (outcome.lease) events.held(thread, outcome.lease.token)
      if (chain) events.erased({ tenantId: store.tenantId, threadId, at: outcome.at, chain })
      if (wrote('run.moved')) events.moved(thread)
      if (wrote('run.settled')) events.settled(thread)
      return outcome
    },
    tenant: (id) => monitored(store.tenant(id), events),
  }
}
