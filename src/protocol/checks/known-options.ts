import { InputInvalid } from '../errors/errors.ts'

/** Refuses options that do not exist: a misspelt one could be a store, a channel or a limit that is not there. */
export function requireKnown(what: string, options: unknown, known: readonly string[]): void {
  // A text has keys too ("0", "1", …), which would only puzzle whoever reads of them.
  if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options))) {
    throw new InputInvalid(`${what} takes its options as an object.`)
  }
  const unknown = Object.keys(options ?? {}).find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw new InputInvalid(`${what} has no option "${unknown}"; there are ${known.join(', ')}.`)
}
