import type { Append, Store } from '../../../src/ports/store.ts'
import type { Entry } from '../../../src/protocol/entries/entry.ts'
import { memoryStore } from '../../../src/store/memory/store.ts'

/** A memory store whose time is set by hand. */
export function clockedStore(start = 1_700_000_000_000) {
  let now = start
  const store = memoryStore({ clock: { now: () => now } })
  return {
    store,
    advance(ms: number) {
      now += ms
    },
  }
}

/** The same store, with something done before each append. */
export function intercept(store: Store, before: (append: Append) => Promise<void> | void): Store {
  return {
    ...store,
    async append(append) {
      await before(append)
      return store.append(append)
    },
    tenant: (id) => intercept(store.tenant(id), before),
  }
}

/** Whether an append brings an entry of this type. */
export function brings(append: Append, type: Entry['type']): boolean {
  return append.entries.some((body) => (JSON.parse(body) as Entry).type === type)
}

/** A store whose appends wait for a promise first: a process that is slow at just the wrong time. */
export function slowed(store: Store, until: Promise<void>): Store {
  return intercept(store, () => until)
}
