import { HoldpointError, messageOf } from '../protocol/errors/error-base.ts'

/** Where the gateway tells what it does. A pino logger is one. Tokens and what people are asked or answer are never told. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What of a failure is told. Drivers hang commands with their arguments on errors: nothing is taken along unnamed. */
export function errorFields(error: unknown): {
  error: { message: string; name?: string; code?: string; stack?: string }
} {
  if (!(error instanceof Error)) return { error: { message: messageOf(error) } }
  const code = HoldpointError.isInstance(error) ? { code: error.code } : {}
  return {
    error: { name: error.name, message: messageOf(error), ...code, ...(error.stack ? { stack: error.stack } : {}) },
  }
}
