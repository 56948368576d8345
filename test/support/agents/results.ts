import { expect } from 'vitest'
import type { Content, Message } from '../../../src/protocol/message.ts'
import type { RunResult } from '../../../src/runtime/run/result.ts'

/** The one interruption of a result. */
export function only(result: RunResult) {
  expect(result.status).toBe('interrupted')
  expect(result.interruptions).toHaveLength(1)
  return result.interruptions[0]!
}

/** The tool results that a model was sent, as `[call id, content]`, in order. */
export function resultsIn(messages: readonly Message[] | undefined): [string, Content][] {
  return (messages ?? []).flatMap((message): [string, Content][] =>
    message.role === 'tool' ? [[message.toolCallId, message.content]] : [],
  )
}

/** The one tool message of a request. */
export function toolMessage(messages: readonly Message[] | undefined) {
  const found = (messages ?? []).filter((message) => message.role === 'tool')
  expect(found).toHaveLength(1)
  return found[0]!
}

/** Fails unless every call of the history has exactly one result, in call order, right after its message; the last may wait. */
export function assertValidHistory(messages: readonly Message[], lastMayWait = false): void {
  messages.forEach((message, at) => {
    if (message.role !== 'assistant' || !message.toolCalls?.length) return
    const made = message.toolCalls.map(({ id }) => id)
    const answered = messages.slice(at + 1, at + 1 + made.length).map((next) => next.role === 'tool' && next.toolCallId)
    if (lastMayWait && at === messages.length - 1) return
    expect(answered).toEqual(made)
  })
  const results = messages.filter(({ role }) => role === 'tool').length
  const made = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  const last = messages.at(-1)
  const waiting = lastMayWait && last?.role === 'assistant' ? (last.toolCalls?.length ?? 0) : 0
  expect(results).toBe(made.length - waiting)
}
