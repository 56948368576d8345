import type { Store } from '../ports/store.ts'
import { requireStore } from '../protocol/checks/check-options.ts'
import { uuidSource } from '../protocol/uuid.ts'
import { Desk } from './desk.ts'

/** Opens a desk: lists and decides requests of a store without the agent's code. */
export function openDesk(options: { store: Store }): Desk {
  requireStore('openDesk()', options?.store)
  return new Desk({ store: options.store, newId: uuidSource() })
}
