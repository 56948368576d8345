import { InputInvalid } from '../../protocol/errors/errors.ts'

/** Checks the limit of a page. */
export function pageLimit(limit = 50): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new InputInvalid(`limit must be 1 to 500, not ${limit}`)
  return limit
}

/** Normalises `after` to the version of the last entry that is skipped, for any number. */
export function versionBefore(after: number): number {
  return after >= 1 ? Math.min(Math.floor(after), Number.MAX_SAFE_INTEGER) : 0
}
