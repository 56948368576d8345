import { InputInvalid } from '../errors/errors.ts'
import { requireKnown } from './known-options.ts'

/** Refuses what is no store, such as its path or the promise of one, before anything is asked of it. */
export function requireStore(what: string, store: unknown): void {
  const { append, read } = (store ?? {}) as { append?: unknown; read?: unknown }
  if (typeof append === 'function' && typeof read === 'function') return
  throw new InputInvalid(`${what} needs a store, such as sqliteStore({ path }) returns.`)
}

/** Refuses what cannot stop anything, such as the controller of a signal, while nothing has begun. */
export function requireSignal(what: string, signal: unknown): void {
  if (signal === undefined || signal instanceof AbortSignal) return
  throw new InputInvalid(`signal of ${what} must be an AbortSignal, such as controller.signal.`)
}

/** Checks how calls are to be run. */
export function checkToolExecution(options: object = {}): void {
  requireKnown('toolExecution', options, ['start', 'preApprovalInputGuardrails'])
  const { start, preApprovalInputGuardrails: guards } = options as Record<string, unknown>
  if (guards !== undefined && typeof guards !== 'boolean')
    throw new InputInvalid('toolExecution.preApprovalInputGuardrails must be a boolean.')
  if (start !== undefined && start !== 'cleared' && start !== 'settled') {
    throw new InputInvalid(`toolExecution.start must be 'cleared' or 'settled'.`)
  }
}
