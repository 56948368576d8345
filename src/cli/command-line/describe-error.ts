import { ApiError, NetworkError } from '../../client.ts'
import { HoldpointError } from '../../index.ts'
import { safeJson, visible } from '../render/visible.ts'
import { CliError } from './errors.ts'

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

/** An error as JSON, with a stack trace if there is one. */
export function errorJson(error: unknown, stack?: string): string {
  return safeJson({
    error: { code: codeOf(error), message: messageOf(error), ...(stack === undefined ? {} : { stack }) },
  })
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.detail
  return error instanceof Error ? error.message : String(error)
}
