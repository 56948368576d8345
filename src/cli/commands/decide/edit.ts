import { createInterface } from 'node:readline/promises'
import type { HitlRequest, JsonObject } from '../../../index.ts'
import { jsonEqual, parseArgsText } from '../../../protocol/json/json.ts'
import { type Call, type Command, decisionOptions } from '../../command-line/command.ts'
import { CliError, UsageError } from '../../command-line/errors.ts'
import { decideCall } from '../../decide/decide-call.ts'
import { editInEditor } from '../../decide/editor.ts'
import { withChange } from '../../decide/with-change.ts'
import { visible } from '../../render/visible.ts'

/** Lets a call run with other arguments. */
export const edit: Command = {
  name: 'edit',
  summary: 'let a call run with other arguments',
  about: 'Without --args and --set, your editor opens with the arguments as JSON (in a terminal only).',
  usage: 'ID (--args JSON | --set FIELD=VALUE …) [--message TEXT] [--comment TEXT]',
  options: {
    args: { value: 'JSON', help: 'the new arguments, all of them' },
    set: {
      value: 'FIELD=VALUE',
      multiple: true,
      help: 'change one argument; a string stays a string, anything else is JSON; FIELD:=JSON is always JSON; to.name is nested',
    },
    message: { value: 'TEXT', help: 'why; the agent reads it with the result' },
    ...decisionOptions,
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: [
    "edit 3f9a --set amountCents=6000 --message 'The shipping was free.'",
    `edit 3f9a --args '{"orderId":"A-1042","amountCents":6000}'`,
  ],
  run: async (call) => {
    const change = changeOf(call)
    const message = call.text('message')
    return decideCall(call, async (request) => {
      const args = await change(request)
      if (jsonEqual(args, editable(request))) {
        throw new CliError(
          'nothing_changed',
          'Nothing was changed, and the request is still open. To run the call as it is, approve it.',
        )
      }
      return { type: 'edit', args, ...(message === undefined ? {} : { message }) }
    })
  },
}

/** Where the new arguments come from; the options are checked before the store is opened. */
function changeOf(call: Call): (request: HitlRequest) => JsonObject | Promise<JsonObject> {
  const { context } = call
  const text = call.text('args')
  const changes = call.texts('set')
  if (text !== undefined && changes.length > 0) throw new UsageError('edit takes --args or --set, not both')
  if (text !== undefined) {
    const parsed = parseArgsText(text)
    if (!parsed.ok) throw new UsageError(`--args: ${parsed.problem}`)
    return () => parsed.args
  }
  if (changes.length > 0) return (request) => applyAll(editable(request), changes)
  if (!context.interactive)
    throw new UsageError('edit needs --args JSON or --set FIELD=VALUE when it is not run in a terminal')
  return (request) => {
    if (request.status !== 'open') return {}
    return editInEditor(editable(request), {
      editor: context.settings.editor ?? 'vi',
      again: (problem) => askAgain(call, problem),
    })
  }
}

/** What an edit starts from: the arguments in the form that the tool's schema takes. */
function editable({ args = {}, argsInput = args }: HitlRequest): JsonObject {
  return argsInput
}

function applyAll(args: JsonObject, changes: readonly string[]): JsonObject {
  let changed = args
  for (const change of changes) {
    const result = withChange(changed, change)
    if (!result.ok) throw new UsageError(`--set: ${result.problem}`)
    changed = result.args
  }
  return changed
}

async function askAgain({ context }: Call, problem: string): Promise<boolean> {
  context.err(`${context.style.bad('That cannot be used')}: ${visible(problem)}`)
  const lines = createInterface({ input: context.stdin, output: context.stdout })
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('n')))
    const answer = await Promise.race([lines.question('Edit again? [Y/n] '), closed])
    return !/^n/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
