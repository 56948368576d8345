import { type Command, decisionOptions } from '../../command-line/command.ts'
import { decideCall } from '../../decide/decide-call.ts'
import { capOption, grantOptions } from '../../decide/grant-options.ts'

/** Lets a call run as it is. */
export const approve: Command = {
  name: 'approve',
  summary: 'let a call run once, exactly as shown',
  usage: 'ID [--always [--scope SCOPE] [--uses N] [--expires TIME] [--cap FIELD=MAX]] [--comment TEXT]',
  options: {
    always: { help: 'also approve later calls of this tool by this agent in this run' },
    ...grantOptions,
    ...capOption,
    ...decisionOptions,
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ['approve 3f9a', 'approve 3f9a --always --scope thread --cap amountCents=50000'],
  run: (call) => decideCall(call, () => ({ type: 'approve' })),
}
