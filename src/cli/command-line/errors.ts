import { ApiError, NetworkError } from '../../client.ts'
import { HoldpointError } from '../../index.ts'
import { safeJson, visible } from '../render/visible.ts'

/** An error of the command line itself. */
export class CliError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The command line is wrong: an unknown option, a missing value. Its exit code is 2. */
export class UsageError extends CliError {
  constructor(message: string) {
    super('usage', message)
  }
}

/** The code of an error, for programs. */
function codeOf(error: unknown): string {
  if (error instanceof CliError || error instanceof ApiError) return error.code
  if (error instanceof NetworkError) return 'unreachable'
  return HoldpointError.isInstance(error) ? error.code : 'internal'
}

/** An error on one line. Text from outside cannot add a second one. */
export function errorLine(error: unknown): string {
  return `error: ${visible(messageOf(error))} [${codeOf(error)}]`
}

/** An error as JSON. */
export function errorJson(error: unknown): string {
  return safeJson({ error: { code: codeOf(error), message: messageOf(error) } })
}

/** 2 for wrong usage, 1 for any other error. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.detail
  return error instanceof Error ? error.message : String(error)
}
