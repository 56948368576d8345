import { HoldpointError, messageOf } from '../protocol/errors/error-base.ts'

/** Where the gateway tells what it does. A pino logger is one. Tokens and what people are asked or answer are never told. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The same error is logged at most this often. */
const TELL_AGAIN_MS = 60_000

/** Logs errors of work that is tried again and again: the same one at most once a minute. */
export function repeatedErrors(logger: Logger | undefined): (error: unknown, message: string) => void {
  let told = new Map<string, number>()
  return (error, message) => {
    const fields = errorFields(error)
    const now = performance.now()
    told = new Map([...told].filter(([, at]) => now - at < TELL_AGAIN_MS))
    if (told.has(fields.error.message)) return
    told.set(fields.error.message, now)
    logger?.error(fields, message)
  }
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
