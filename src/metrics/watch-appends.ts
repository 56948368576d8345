import type { Append, AppendOutcome, Store } from '../ports/store.ts'
import { Counter, type Metric } from './text.ts'

/** Counts appends that a store refused, and leases that changed hands. */
export class AppendCounters {
  readonly #conflicts = new Counter('holdpoint_append_conflicts_total', 'Appends that the store refused, by reason.')
  readonly #leases = new Counter(
    'holdpoint_lease_steals_total',
    'Leases that this process lost to others (lost), or took from a process that is gone (taken).',
  )
  readonly metrics: readonly Metric[] = [this.#conflicts, this.#leases]

  /** The same store, with its appends counted. */
  watch(store: Store): Store {
    return {
      ...store,
      append: async (append) => {
        const outcome = await store.append(append)
        this.#count(append, outcome)
        return outcome
      },
      renewLease: async (threadId, lease) => {
        const isRenewed = await store.renewLease(threadId, lease)
        if (!isRenewed) this.#leases.add({ how: 'lost' })
        return isRenewed
      },
      tenant: (id) => this.watch(store.tenant(id)),
    }
  }

  #count({ lease }: Append, outcome: AppendOutcome): void {
    if (!outcome.ok) this.#conflicts.add({ kind: outcome.conflict.kind })
    if (outcome.ok && lease?.op === 'take' && lease.over) this.#leases.add({ how: 'taken' })
    if (!outcome.ok && outcome.conflict.kind === 'lease' && lease?.op === 'hold') this.#leases.add({ how: 'lost' })
  }
}
