import { form } from '../protocol/request.ts'
import type { Tool } from '../runtime/definition/definition.ts'
import { tool } from '../runtime/definition/tool/tool.ts'

/**
 * A tool with which the model asks the person a form and reads the answers. It only waits, so it survives restarts on a
 * durable channel. A cancelled or expired form becomes a refusal that says so.
 */
export function askUser(options: { name?: string; description?: string } = {}): Tool {
  return tool({
    name: options.name ?? 'ask_user',
    description:
      options.description ??
      'Ask the user one or more short questions and wait for the answers. Prefer options where the choices are known, with allowInput on one of them for anything else. For an open conversation just answer in text instead.',
    parameters: form(),
    resumable: true,
    execute: async ({ questions }, ctx) => ctx.ask(questions),
  })
}
