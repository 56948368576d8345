import { textOf } from '../messages.js'
import { conversationOf } from './conversations.js'

/**
 * @typedef {import('holdpoint').Message} Message
 * @typedef {import('holdpoint/ports').ModelResponse} ModelResponse
 */

/**
 * The model of an agent: it follows the script of its conversation, which it knows by the words that began it. It is a function of the messages
 * alone, so it says the same in every process.
 * @param {string} agent
 * @returns {import('holdpoint').Model}
 */
export function modelOf(agent) {
  return {
    name: 'scripted',
    respond: async ({ messages }) => {
      const begun = messages.find(({ role }) => role === 'user')
      const steps = conversationOf(begun ? textOf(begun.content) : '').steps[agent] ?? []
      const said = messages.filter(({ role }) => role === 'assistant').length
      const step = steps[said]
      if (!step) return { content: closingWords(messages) }
      const { says, call } = step
      return { content: says, toolCalls: [{ id: `call-${agent}-${said + 1}`, ...call }] }
    },
  }
}

/** @param {readonly Message[]} messages */
function closingWords(messages) {
  const last = messages.findLast(({ role }) => role === 'tool')
  if (last?.role !== 'tool') return 'There is nothing for me to do here.'
  const text = textOf(last.content)
  return last.isError ? `I could not do that. I was told: ${text}` : `Done: ${text}`
}
