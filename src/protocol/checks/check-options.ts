import { InputInvalid } from '../errors/errors.ts'
import { requireKnown } from './known-options.ts'

/** Rejects a value that is not a store, such as a path or a promise, before it is used. */
export function requireStore(what: string, store: unknown): void {
  const { append, read } = (store ?? {}) as { append?: unknown; read?: unknown }
  if (typeof append === 'function' && typeof read === 'function') return
  throw new InputInvalid(`${what} needs a store, such as sqliteStore({ path }) returns.`)
}

/** Rejects a value that is not an `AbortSignal`, such as a controller, before anything starts. */
export function requireSignal(what: string, signal: unknown): void {
  if (signal === undefined || signal instanceof AbortSignal) return
  throw new InputInvalid(`signal of ${what} must be an AbortSignal, such as controller.signal.`)
}

/** Checks the `toolExecution` options. */
export function checkToolExecution(options: object = {}): void {
  requireKnown('toolExecution', options, ['start', 'preApprovalInputGuardrails'])
  const { start, preApprovalInputGuardrails: guards } = options as Record<string, unknown>
  if (guards !== undefined && typeof guards !== 'boolean')
    throw new InputInvalid('toolExecution.preApprovalInputGuardrails must be a boolean.')
  if (start !== undefined && start !== 'cleared' && start !== 'settled') {
    throw new InputInvalid(`toolExecution.start must be 'cleared' or 'settled'.`)
  }
}
