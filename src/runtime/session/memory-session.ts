import type { Session, SessionItem } from '../../ports/session.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { cloneJson, type JsonValue } from '../../protocol/json/json.ts'
import { uuidSource } from '../../protocol/uuid.ts'
import { checkItems, newest, unknownItems } from './session-items.ts'

/** A session in memory. It is gone when the process ends. */
export function memorySession(options: { id?: string; items?: readonly SessionItem[] } = {}): Session {
  requireKnown('memorySession()', options, ['id', 'items'])
  const id = options.id ?? uuidSource()()
  let held = checkItems(options.items ?? [])
  return {
    getSessionId: async () => id,
    getItems: async (limit) => cloneJson(newest(held, limit) as unknown as JsonValue) as unknown as SessionItem[],
    addItems: async (items) => {
      held.push(...unknownItems(checkItems(items), held))
    },
    popItem: async () => held.pop(),
    clearSession: async () => {
      held = []
    },
  }
}
