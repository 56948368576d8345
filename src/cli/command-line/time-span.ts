import { UsageError } from './errors.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a time such as `30m`. A number without a unit is seconds. */
export function toSeconds(option: string, text: string): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(text) ?? []
  const seconds = Number(number) * (SECONDS[unit] ?? 1)
  if (number === '' || seconds <= 0)
    throw new UsageError(`--${option} must be a time such as 90s, 30m, 8h or 7d, not '${text}'`)
  return seconds
}
