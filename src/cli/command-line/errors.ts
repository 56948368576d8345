import { HoldpointError } from '../../index.ts'
import { safeJson, visible } from '../render/visible.ts'

/** A refusal of the command line itself. */
export class CliError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The command was not called as it can be. */
export class UsageError extends CliError {
  constructor(message: string) {
    super('usage', message)
  }
}

/** What a failure is called, for programs. */
function codeOf(error: unknown): string {
  if (error instanceof CliError) return error.code
  return HoldpointError.isInstance(error) ? error.code : 'internal'
}

/** A failure in one line: nothing that came from outside can add a second one. */
export function errorLine(error: unknown): string {
  return `error: ${visible(messageOf(error))} [${codeOf(error)}]`
}

/** A failure as JSON. */
export function errorJson(error: unknown): string {
  return safeJson({ error: { code: codeOf(error), message: messageOf(error) } })
}

/** Usage errors are told apart from everything else that can go wrong. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
