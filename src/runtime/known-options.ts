import { InputInvalid } from '../protocol/errors.ts'

/** Refuses options that do not exist: a misspelt one could be a store, a channel or a limit that is not there. */
export function requireKnown(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options ?? {}).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new InputInvalid(`${what} has no option "${unknown}".`)
}

/** Checks when calls are to start. */
export function checkStart(start: unknown): void {
  if (start !== undefined && start !== 'cleared' && start !== 'settled') {
    throw new InputInvalid(`toolExecution.start must be 'cleared' or 'settled'.`)
  }
}
