import { InputInvalid } from '../errors/errors.ts'

/** Rejects unknown options, and none at all: some of them are needed. */
export function requireOptions(what: string, options: unknown, known: readonly string[]): void {
  if (options === undefined) throw new InputInvalid(`${what} takes its options as an object.`)
  requireKnown(what, options, known)
}

/** Rejects unknown options: a misspelt one could be a store, a channel or a limit that is then missing. */
export function requireKnown(what: string, options: unknown, known: readonly string[]): void {
  // A string has keys too ("0", "1", …), which would make a confusing message.
  if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options))) {
    throw new InputInvalid(`${what} takes its options as an object.`)
  }
  const unknown = Object.keys(options ?? {}).find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw new InputInvalid(`${what} has no option "${unknown}"; there are ${known.join(', ')}.`)
}
