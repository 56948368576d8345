import type { AssistantMessage, Message } from '../../protocol/message.ts'
import type { Run, ThreadState } from '../state.ts'

type ToolMessage = Extract<Message, { role: 'tool' }>

/**
 * A history that a model can read: each call has one result, right after the message that made it. Results without
 * their call and calls without a result are left out.
 */
export function soundHistory(messages: readonly Message[]): Message[] {
  const sound: Message[] = []
  for (let at = 0; at < messages.length; ) {
    const message = messages[at] as Message
    at += 1
    if (message.role === 'tool') continue
    if (message.role !== 'assistant' || !message.toolCalls?.length) {
      sound.push(message)
      continue
    }
    const results: ToolMessage[] = []
    for (let next = messages[at]; next?.role === 'tool'; next = messages[at]) {
      results.push(next)
      at += 1
    }
    sound.push(...pairUp(message, results))
  }
  return sound
}

function pairUp(message: AssistantMessage, results: readonly ToolMessage[]): Message[] {
  const made = message.toolCalls ?? []
  const paired = made.flatMap((call) => {
    const result = results.find(({ toolCallId }) => toolCallId === call.id)
    return result ? [{ call, result }] : []
  })
  if (paired.length === made.length) return [message, ...paired.map(({ result }) => result)]
  // The provider's data may refer to calls that were removed.
  const { toolCalls: _toolCalls, providerData: _providerData, stopReason: _stopReason, ...said } = message
  if (paired.length > 0) {
    const kept: AssistantMessage = { ...said, stopReason: 'toolCalls', toolCalls: paired.map(({ call }) => call) }
    return [kept, ...paired.map(({ result }) => result)]
  }
  return said.content.length > 0 ? [{ ...said, stopReason: 'stop' }] : []
}

/** The messages that a run has added so far. A message with calls is included only together with their results. */
export function settledMessages(state: ThreadState, run: Run): Message[] {
  const added = state.messages.slice(run.session?.from ?? state.messages.length)
  const last = added.at(-1)
  return last?.role === 'assistant' && last.toolCalls?.length ? added.slice(0, -1) : added
}
