import { InputInvalid } from '../../protocol/errors/errors.ts'

/** How many requests a page holds, checked. */
export function pageLimit(limit = 50): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new InputInvalid(`limit must be 1 to 500, not ${limit}`)
  return limit
}

/** The version after which a thread is read: that of its last entry that is not wanted, whatever number was asked for. */
export function versionBefore(after: number): number {
  return after >= 1 ? Math.min(Math.floor(after), Number.MAX_SAFE_INTEGER) : 0
}
