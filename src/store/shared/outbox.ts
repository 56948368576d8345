import type { OutboxQuery } from '../../ports/outbox.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'

/** Checks the limit of a page of the outbox. */
export function outboxLimit({ limit = 100 }: OutboxQuery): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new InputInvalid(`limit must be 1 to 1000, not ${limit}`)
  }
  return limit
}

/** The number of a position in stores that number rows 1, 2, 3 … in the order of commits. `''` is 0. */
export function rowNumber(position: string): number {
  if (!/^\d{0,15}$/.test(position)) throw new InputInvalid('this is not a position in the outbox')
  return Number(position)
}

/** Checks the age of rows to delete. */
export function outboxAge({ outboxMs }: { outboxMs: number }): number {
  if (!(outboxMs >= 0)) throw new InputInvalid(`outboxMs must be a number of milliseconds, not ${outboxMs}`)
  return outboxMs
}
