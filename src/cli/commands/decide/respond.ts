import { type Command, decisionOptions } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { decideCall } from '../../decide/decide-call.ts'

/** Answers in the tool's place. */
export const respond: Command = {
  name: 'respond',
  summary: 'give the result yourself; the call does not run',
  usage: 'ID --message TEXT [--comment TEXT]',
  options: { message: { value: 'TEXT', help: 'the result; the agent reads it' }, ...decisionOptions },
  remote: true,
  positionals: { min: 1, max: 1 },
  run: async (call) => {
    const message = call.text('message')
    if (message === undefined) throw new UsageError('respond needs --message TEXT')
    return decideCall(call, () => ({ type: 'respond', message }))
  },
}
