import { expect } from 'vitest'
import type { Message } from '../../src/index.ts'

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
