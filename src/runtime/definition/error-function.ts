import { tellReturned } from '../../protocol/checks/returned.ts'
import { messageOf, ToolFailed } from '../../protocol/errors/errors.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { Tool } from './definition.ts'
import { modelMessages } from './model-messages.ts'

/**
 * What the model reads of an error that a body threw, and the error that stops the run, if any. The body may have had an effect, so there is always a
 * result. An `errorFunction` that throws or returns no string stops the run too: that is the developer's mistake, and not for the model.
 */
export async function failureOf(
  { name, errorFunction }: Tool,
  runContext: RunContext,
  error: unknown,
): Promise<{ text: string; error?: ToolFailed }> {
  const text = modelMessages.failed(messageOf(error))
  if (errorFunction === undefined) return { text }
  if (errorFunction === null) return { text, error: new ToolFailed(name, messageOf(error), error) }
  let said: unknown
  try {
    said = await errorFunction(runContext, error)
  } catch (thrown) {
    return { text, error: new ToolFailed(name, `its errorFunction threw: ${messageOf(thrown)}`, thrown) }
  }
  if (typeof said === 'string' && said.trim() !== '') return { text: said }
  const problem = `its errorFunction returned ${tellReturned(said)}; it must be a string that is not empty`
  return { text, error: new ToolFailed(name, problem, error) }
}
