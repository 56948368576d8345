import { HoldpointError, messageOf } from '../protocol/errors/error-base.ts'

/** Where the gateway tells what it does. A pino logger is one. Tokens and what people are asked or answer are never told. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The fields of a failure that are logged. Drivers attach commands with their arguments to errors, so only named fields are logged. */
export function errorFields(error: unknown): {
  error: { message: string; name?: string; code?: string; stack?: string }
} {
  if (!(error instanceof Error)) return { error: { message: messageOf(error) } }
  const code = HoldpointError.isInstance(error) ? { code: error.code } : {}
  return {
    error: { name: error.name, message: messageOf(error), ...code, ...(error.stack ? { stack: error.stack } : {}) },
  }
}
