import { type Command, decisionOptions } from '../command.ts'
import { decideCall } from '../decide.ts'

/** Lets a call run as it is. */
export const approve: Command = {
  name: 'approve',
  summary: 'let a call run, once, exactly as it was asked',
  usage: 'ID [--always] [--comment TEXT]',
  options: {
    always: { help: 'also approve later calls of this tool by this agent in this run' },
    ...decisionOptions,
  },
  positionals: { min: 1, max: 1 },
  run: (call) => decideCall(call, () => ({ type: 'approve' })),
}
