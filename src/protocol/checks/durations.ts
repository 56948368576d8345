/** The longest duration of any option: a hundred years. A deadline that far away is still a valid date. */
export const LONGEST_SECONDS = 3_155_760_000

/** The longest undo window that a caller of a gateway may ask for. A decision that waits longer is no longer one that can be undone: it is a timer. */
export const LONGEST_UNDO_SECONDS = 3600

/** Whether a value is a valid number of seconds. */
export function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LONGEST_SECONDS
}
