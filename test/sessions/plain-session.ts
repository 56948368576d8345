import type { Session } from '../../src/index.ts'
import type { SessionItem } from '../../src/ports.ts'

/** A session as somebody else might write it: it keeps what it is given, and promises nothing more. */
export function plainSession(id = 'plain', items: SessionItem[] = []): Session & { items: SessionItem[] } {
  return {
    items,
    getSessionId: async () => id,
    getItems: async (limit) => (limit === undefined ? [...items] : items.slice(-limit)),
    addItems: async (added) => void items.push(...added),
    popItem: async () => items.pop(),
    clearSession: async () => void items.splice(0),
  }
}
