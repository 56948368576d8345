import { UsageError } from './errors.ts'

/** The value of an option that counts something: an integer, 1 or more. */
export function toCount(option: string, text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new UsageError(`--${option} must be an integer, 1 or more`)
  return count
}
