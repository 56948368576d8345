import { InputInvalid } from '../protocol/errors.ts'

/** Refuses options that do not exist: a misspelt one could be a store, a channel or a limit that is not there. */
export function requireKnown(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options ?? {}).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new InputInvalid(`${what} has no option "${unknown}".`)
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
