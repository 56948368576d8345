import { UsageError } from './errors.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Reads how long something is, as people write it. */
export function toSeconds(option: string, text: string): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(text) ?? []
  const seconds = Number(number) * (SECONDS[unit] ?? 1)
  if (number === '' || seconds <= 0) throw new UsageError(`--${option} is a time as 90s, 30m, 8h or 7d, not '${text}'`)
  return seconds
}
