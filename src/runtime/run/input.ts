import { soundHistory } from '../../core/views/history.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, jsonProblem } from '../../protocol/json/json.ts'
import { cloneMessages, type InputMessage, inputMessage, type Message, message } from '../../protocol/message.ts'

/** The input of a conversation: a string, a message, or several messages. */
export type Input = string | InputMessage | readonly InputMessage[]

/** An earlier conversation, such as `result.history`, followed by new input. */
export type Conversation = readonly Message[]

/** Splits a conversation into what was said before, in a form that models accept, and the input at its end. */
export function toConversation(given: Input | Conversation): { history: Message[]; input: InputMessage[] } {
  const messages = Array.isArray(given) ? (given as Conversation) : []
  const last = messages.findLastIndex((one) => one?.role === 'assistant' || one?.role === 'tool')
  if (last < 0) return { history: [], input: toMessages(given as Input) }
  const earlier = messages.slice(0, last + 1).map((one, index) => {
    const result = message().safeParse(one)
    const problem = result.success ? jsonProblem(result.data, `input[${index}]`) : result.error.issues[0]?.message
    if (!result.success || problem) throw new InputInvalid(`input[${index}] is not a message: ${problem}.`)
    return result.data as Message
  })
  if (last === messages.length - 1)
    throw new InputInvalid("The input ends with an earlier answer: add the new input, { role: 'user', content }.")
  return {
    history: soundHistory(cloneMessages(earlier)),
    input: toMessages(messages.slice(last + 1) as InputMessage[]),
  }
}

/** Checks input from outside. */
export function toMessages(input: Input): InputMessage[] {
  if (typeof input === 'string') return checkAll([{ role: 'user', content: input }])
  // Both are mistakes that are made easily, and a list of what a message has would not tell them.
  if (typeof (input as { then?: unknown } | undefined)?.then === 'function') {
    throw new InputInvalid('The input is a promise: await it first, as in run(agent, await RunState.load(agent, …)).')
  }
  if ((input as { state?: unknown } | undefined)?.state instanceof Object) {
    throw new InputInvalid(
      'The input is the result of a run: to go on, pass its state, as in run(agent, result.state).',
    )
  }
  return checkAll(Array.isArray(input) ? input : [input])
}

function checkAll(messages: readonly unknown[]): InputMessage[] {
  if (messages.length === 0) throw new InputInvalid('The input is empty: pass a string or at least one message.')
  return messages.map((one, index) => {
    const result = inputMessage().safeParse(one)
    const problem = result.success ? jsonProblem(result.data, `input[${index}]`) : result.error.issues[0]?.message
    if (!result.success || problem) {
      throw new InputInvalid(`input[${index}] is not a message { role: 'user' | 'system', content }: ${problem}.`)
    }
    return cloneJson(result.data as JsonObject) as InputMessage
  })
}
