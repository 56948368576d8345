import { EditInvalid, type JsonObject } from '../../index.ts'
import { jsonEqual } from '../../protocol/json.ts'
import { withChange } from '../decide/set-args.ts'
import { visible } from '../render/visible.ts'
import type { Question } from './ask-in-terminal.ts'

/** Takes changes of single fields until the tool accepts the whole. `false`: given up, nothing was decided. */
export async function answerEdit({ demo, request, decide, line }: Question): Promise<boolean> {
  const { out, style } = demo.context
  const before = request.args ?? {}
  let args = before
  out(`Fields: ${Object.keys(before).map(visible).join(', ')}`)
  for (;;) {
    const changed = !jsonEqual(args, before)
    const typed = await line(
      changed ? 'field=value, Enter to run it like this, or c to cancel > ' : 'field=value (Enter to go back) > ',
    )
    if (typed === 'c' || (typed === '' && !changed)) {
      out('Nothing was decided.')
      return false
    }
    if (typed !== '') {
      const result = withChange(args, typed)
      if (result.ok) args = result.args
      out(
        ...(result.ok
          ? differences(before, args)
          : [`${style.bad('That cannot be used')}: ${visible(result.problem)}`]),
      )
      continue
    }
    try {
      await decide({ type: 'edit', args })
      return true
    } catch (error) {
      if (!(error instanceof EditInvalid)) throw error
      out(style.bad('The tool does not accept that:'), ...error.problems.map((problem) => `  ${visible(problem)}`))
    }
  }
}

/** Old and new side by side. */
function differences(before: JsonObject, after: JsonObject): string[] {
  return Object.keys(after)
    .filter((key) => !jsonEqual(before[key], after[key]))
    .map((key) => `  ${visible(key)}  ${text(before[key])} → ${text(after[key])}`)
}

function text(value: unknown): string {
  return value === undefined ? '(not set)' : visible(JSON.stringify(value))
}
