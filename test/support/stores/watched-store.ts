import type { Append, Store } from '../../../src/ports/store.ts'
import { Activation } from '../../../src/runtime/journal/activation.ts'
import { newHolder } from '../../../src/runtime/journal/holder.ts'
import { Journal } from '../../../src/runtime/journal/journal.ts'
import { memoryStore } from '../../../src/store/memory/store.ts'

/** An entry that any thread takes. */
export const cleared = { v: 1, type: 'session.cleared' } as const

/** A worker on the thread `t` that holds no lease yet. */
export const activate = async (store: Store) => new Activation(await Journal.open(store, 't'), newHolder())

/** A store whose clock is set by hand, and the appends and renewals that it was asked for. */
export function watchedStore() {
  const clock = { now: 0 }
  const store = memoryStore({ clock: { now: () => clock.now } })
  const appends: Append[] = []
  let renewals = 0
  return {
    clock,
    appends,
    renewals: () => renewals,
    store: {
      ...store,
      append(append: Append) {
        appends.push(append)
        return store.append(append)
      },
      renewLease(...given: Parameters<Store['renewLease']>) {
        renewals++
        return store.renewLease(...given)
      },
    } satisfies Store,
  }
}
