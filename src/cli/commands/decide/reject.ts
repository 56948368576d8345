import { type Command, decisionOptions } from '../../command-line/command.ts'
import { decideCall } from '../../decide/decide-call.ts'
import { grantOptions } from '../../decide/grant-options.ts'

/** Refuses a call. */
export const reject: Command = {
  name: 'reject',
  summary: 'refuse a call; the agent reads why',
  usage: 'ID [--message TEXT] [--always [--scope SCOPE] [--uses N] [--expires TIME]] [--comment TEXT]',
  options: {
    message: { value: 'TEXT', help: 'the reason; the agent reads it' },
    always: { help: 'also reject later calls of this tool by this agent in this run' },
    ...grantOptions,
    ...decisionOptions,
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ["reject 3f9a --message 'Ask for a photo first.'"],
  run: (call) => {
    const message = call.text('message')
    return decideCall(call, () => ({ type: 'reject', ...(message === undefined ? {} : { message }) }))
  },
}
