import type { PartQuery } from '../../ports/thread-part.ts'
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

/** Which entries of a chain: those after a number, up to a limit. */
export interface ChainRange {
  readonly after?: number
  readonly limit?: number
}

/** Checks such a range. `null`: there is no limit. */
export function chainRange({ after = 0, limit }: ChainRange = {}): { after: number; limit: number | null } {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
    throw new InputInvalid(`limit must be an integer above 0, not ${limit}`)
  return { after: versionBefore(after), limit: limit ?? null }
}

/** Which entries are the last `limit` before a number: those after `from`, up to `to`. */
export function rangeBefore(version: number, { before, limit }: PartQuery = {}): { from: number; to: number } {
  const to = Math.min(version, lastBefore(before))
  return { from: Math.max(0, to - pageLimit(limit)), to }
}

/** The number of the last entry before a number. */
export function lastBefore(before = Number.MAX_SAFE_INTEGER): number {
  return versionBefore(Math.ceil(before) - 1)
}
