/** The longest duration of any option: a hundred years. A deadline that far away is still a valid date. */
export const LONGEST_SECONDS = 3_155_760_000

/** The longest undo window that a caller of a gateway may ask for. A decision that waits longer is no longer one that can be undone: it is a timer. */
export const LONGEST_UNDO_SECONDS = 3600

/** Whether a value is a valid number of seconds. */
export function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LONGEST_SECONDS
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** The milliseconds of an age such as `90d`: a count of seconds, minutes, hours, days or weeks. `undefined`: it is not one. */
export function parseAge(text: unknown): number | undefined {
  const [, count, unit] = (typeof text === 'string' && /^([1-9]\d{0,8})([smhdw])$/.exec(text)) || []
  if (count === undefined) return undefined
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS]
  return ms <= LONGEST_SECONDS * 1000 ? ms : undefined
}
