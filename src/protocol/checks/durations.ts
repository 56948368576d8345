/** The longest duration of any option: a hundred years. A deadline that far away is still a valid date. */
export const LONGEST_SECONDS = 3_155_760_000

/** Whether a value is a valid number of seconds. */
export function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LONGEST_SECONDS
}
