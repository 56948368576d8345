import { expect } from 'vitest'
import type { Message, Session } from '../../src/index.ts'
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

/** A conversation in short: who said what, calls as `+id`, results as `=id`. */
export function brief(messages: readonly Message[] | undefined): string[] {
  return (messages ?? []).map((message) => {
    switch (message.role) {
      case 'tool':
        return `=${message.toolCallId}`
      case 'assistant': {
        const made = (message.toolCalls ?? []).map(({ id }) => `+${id}`).join('')
        return `${message.content}${made}`
      }
      default:
        return `${message.role}: ${message.content}`
    }
  })
}

/** Fails unless each call has one result right after the message that made it, and each result a call. */
export function assertSound(messages: readonly Message[] | undefined): void {
  const open: string[] = []
  for (const message of messages ?? []) {
    if (message.role === 'tool') {
      expect(open.shift()).toBe(message.toolCallId)
      continue
    }
    expect(open).toEqual([])
    if (message.role === 'assistant') open.push(...(message.toolCalls ?? []).map(({ id }) => id))
  }
  expect(open).toEqual([])
}
