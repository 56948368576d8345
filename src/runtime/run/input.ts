import { InputInvalid } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, jsonProblem } from '../../protocol/json/json.ts'
import { type InputMessage, inputMessage } from '../../protocol/message.ts'

/** The input of a conversation: a string, a message, or several messages. */
export type Input = string | InputMessage | readonly InputMessage[]

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
  return messages.map((message, index) => {
    const result = inputMessage.safeParse(message)
    const problem = result.success ? jsonProblem(result.data, `input[${index}]`) : result.error.issues[0]?.message
    if (!result.success || problem) {
      throw new InputInvalid(`input[${index}] is not a message { role: 'user' | 'system', content }: ${problem}.`)
    }
    return cloneJson(result.data as JsonObject) as InputMessage
  })
}
