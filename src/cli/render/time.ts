const UNITS: readonly [name: string, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['min', 60],
]

/** A time as a person reads it: how far away, and exactly, in the reader's own time zone. */
export function timeText(iso: string, now: number): string {
  return `${relative(iso, now)} (${exact(iso)})`
}

/** The time at which something ends or begins, as a person reads it. */
export function dueText(iso: string, now: number): string {
  return `${whenDue(iso, now)} (${exact(iso)})`
}

/** How far away a time is. */
export function relative(iso: string, now: number): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  const distance = Math.abs(seconds)
  if (distance < 5) return 'just now'
  const [name, size] = UNITS.find(([, each]) => distance >= each) ?? ['s', 1]
  const count = Math.floor(distance / size)
  const text = `${count} ${name}${count > 1 && (name === 'day' || name === 'hour') ? 's' : ''}`
  return seconds < 0 ? `${text} ago` : `in ${text}`
}

/** How far away the time is at which something ends or begins: seconds that are left count. */
export function whenDue(iso: string, now: number): string {
  const left = Math.ceil((Date.parse(iso) - now) / 1000)
  return left > 0 && left < 5 ? `in ${left} s` : relative(iso, now)
}

function exact(iso: string): string {
  const date = new Date(iso)
  const two = (value: number) => String(value).padStart(2, '0')
  const offset = -date.getTimezoneOffset()
  const zone =
    offset === 0
      ? 'UTC'
      : `${offset < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone}`
}
