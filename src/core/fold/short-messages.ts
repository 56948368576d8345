import type { Message, ToolCall } from '../../protocol/message.ts'

/**
 * Messages as a row of values: a kind, and what it leaves open. Most messages have one of a few shapes, and reading the names of their members takes most
 * of the time that reading JSON takes. A message of any other shape is a value of its own. What is read back has the same members in the same order.
 */
const WHOLE = 0
/** `content` */
const USER = 1
/** `content` */
const ANSWER = 2
/** `content`, the number of calls, and the id, name and arguments of each */
const CALLS = 3
/** `content`. It is of the next call, in order, of the last message with calls. */
const RESULT = 4

/** Writes messages one after the other, as the members of a JSON array. Each one may need those before it to be read. */
export class ShortWriter {
  #calls: readonly ToolCall[] = []
  #results = 0

  /** The members for one message. */
  write(message: Message): string {
    return JSON.stringify(this.#valuesOf(message)).slice(1, -1)
  }

  #valuesOf(message: Message): unknown[] {
    const { content } = message
    switch (Object.keys(message).join()) {
      case 'role,content':
        return message.role === 'user' ? [USER, content] : [WHOLE, message]
      case 'role,content,stopReason':
        return message.role === 'assistant' && message.stopReason === 'stop' ? [ANSWER, content] : [WHOLE, message]
      case 'role,content,stopReason,toolCalls':
        return this.#withCalls(message) ?? [WHOLE, message]
      case 'role,toolCallId,toolName,content':
        return this.#isNext(message) ? [RESULT, content] : [WHOLE, message]
      default:
        return [WHOLE, message]
    }
  }

  #withCalls(message: Message): unknown[] | undefined {
    if (message.role !== 'assistant' || message.stopReason !== 'toolCalls') return undefined
    const { content, toolCalls = [] } = message
    if (toolCalls.length === 0 || !toolCalls.every((call) => Object.keys(call).join() === 'id,name,args'))
      return undefined
    this.#calls = toolCalls
    this.#results = 0
    return [CALLS, content, toolCalls.length, ...toolCalls.flatMap(({ id, name, args }) => [id, name, args])]
  }

  #isNext(message: Message): boolean {
    const call = this.#calls[this.#results]
    if (message.role !== 'tool' || message.toolCallId !== call?.id || message.toolName !== call.name) return false
    this.#results += 1
    return true
  }
}

/** Adds the messages that a row of values stands for. `false`: it is no such row. */
export function readShort(values: readonly unknown[], messages: Message[]): boolean {
  let calls: readonly ToolCall[] = []
  let results = 0
  let at = 0
  while (at < values.length) {
    const content = values[at + 1] as Message['content']
    switch (values[at]) {
      case WHOLE:
        messages.push(values[at + 1] as Message)
        break
      case USER:
        messages.push({ role: 'user', content })
        break
      case ANSWER:
        messages.push({ role: 'assistant', content, stopReason: 'stop' })
        break
      case CALLS: {
        const count = values[at + 2] as number
        const from = at + 3
        if (!(count > 0 && from + 3 * count <= values.length)) return false
        calls =
          count === 1 ? [callAt(values, from)] : Array.from({ length: count }, (_, n) => callAt(values, from + 3 * n))
        results = 0
        messages.push({ role: 'assistant', content, stopReason: 'toolCalls', toolCalls: calls as ToolCall[] })
        at += 1 + 3 * count
        break
      }
      case RESULT: {
        const call = calls[results++]
        if (!call) return false
        messages.push({ role: 'tool', toolCallId: call.id, toolName: call.name, content })
        break
      }
      default:
        return false
    }
    at += 2
  }
  return at === values.length
}

function callAt(values: readonly unknown[], at: number): ToolCall {
  return { id: values[at] as string, name: values[at + 1] as string, args: values[at + 2] as ToolCall['args'] }
}
