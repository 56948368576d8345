import { isDeepStrictEqual } from 'node:util'
import { EditInvalid } from 'holdpoint'

/** @typedef {import('holdpoint').JsonObject} JsonObject */

/**
 * Takes changes of single fields until the tool accepts the call. `false`: given up, nothing was decided.
 * @param {import('./ask-in-terminal.js').Question} question
 */
export async function answerEdit({ stage, request, decide, line }) {
  const { terminal, print } = stage
  const { out, style } = terminal
  const before = request.args ?? {}
  let args = before
  out(`Fields: ${Object.keys(before).map(print.text).join(', ')}`)
  for (;;) {
    const changed = !isDeepStrictEqual(args, before)
    const typed = await line(
      changed ? 'field=value, Enter to run it like this, or c to cancel > ' : 'field=value (Enter to go back) > ',
    )
    if (typed === 'c' || (typed === '' && !changed)) {
      out('Nothing was decided.')
      return false
    }
    if (typed !== '') {
      const result = print.change(args, typed)
      if (result.ok) args = result.args
      out(
        ...(result.ok
          ? differences(before, args, print)
          : [`${style.bad('That cannot be used')}: ${print.text(result.problem)}`]),
      )
      continue
    }
    try {
      await decide({ type: 'edit', args })
      return true
    } catch (error) {
      if (!(error instanceof EditInvalid)) throw error
      out(style.bad('The tool does not accept that:'), ...error.problems.map((problem) => `  ${print.text(problem)}`))
    }
  }
}

/**
 * Old and new values of the changed fields.
 * @param {JsonObject} before
 * @param {JsonObject} after
 * @param {import('./stage.js').Printer} print
 */
function differences(before, after, print) {
  /** @param {unknown} value */
  const text = (value) => (value === undefined ? '(not set)' : print.text(JSON.stringify(value)))
  return Object.keys(after)
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key) => `  ${print.text(key)}  ${text(before[key])} → ${text(after[key])}`)
}
