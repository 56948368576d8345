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

/** How the calls of a run are run. Stored with the run: a resumed run keeps it. */
export interface ToolExecution {
  /** When free and approved calls start: each when it is cleared, or all when the whole turn is decided. Default `'cleared'`; of a live thread with a channel `'settled'`. */
  start?: 'cleared' | 'settled'
  /** Asks the tools' `inputGuardrails` before people are asked, and again right before running. Default: only right before. */
  preApprovalInputGuardrails?: boolean
  /**
   * How many tool bodies of the run may run at the same time, those of its nested agents included; `null` is no limit. The others are started when
   * one ends. A body that waits for a person does not count. Default `null`.
   */
  maxFunctionToolConcurrency?: number | null
}

/** Checks the `toolExecution` options. */
export function checkToolExecution(options: object = {}): void {
  requireKnown('toolExecution', options, ['start', 'preApprovalInputGuardrails', 'maxFunctionToolConcurrency'])
  const { start, preApprovalInputGuardrails: guards, maxFunctionToolConcurrency: most } = options as ToolExecution
  if (most !== undefined && most !== null && !(Number.isSafeInteger(most) && most > 0))
    throw new InputInvalid('toolExecution.maxFunctionToolConcurrency must be a positive integer, or null for no limit.')
  if (guards !== undefined && typeof guards !== 'boolean')
    throw new InputInvalid('toolExecution.preApprovalInputGuardrails must be a boolean.')
  if (start !== undefined && start !== 'cleared' && start !== 'settled') {
    throw new InputInvalid(`toolExecution.start must be 'cleared' or 'settled'.`)
  }
}

/** The `toolExecution` of a new run, with the default of `start`. */
export function toolExecutionOf(
  { start, ...others }: ToolExecution = {},
  otherwise: 'cleared' | 'settled' = 'cleared',
): ToolExecution & { start: 'cleared' | 'settled' } {
  return { ...others, start: start ?? otherwise }
}
