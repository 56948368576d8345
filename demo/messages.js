/**
 * @typedef {import('holdpoint').Message} Message
 * @typedef {Extract<Message, { role: 'tool' }>} ToolMessage
 */

/** The text of a message's content. @param {Message['content']} content */
export function textOf(content) {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The newest result of a tool. @param {readonly Message[]} messages @param {string} toolName */
export function resultOf(messages, toolName) {
  const found = messages.findLast((message) => message.role === 'tool' && message.toolName === toolName)
  return /** @type {ToolMessage | undefined} */ (found)
}
