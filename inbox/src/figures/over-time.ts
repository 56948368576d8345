import type { Figures } from 'holdpoint/client'

/** What happened in one hour or one day. */
export interface Slot {
  /** Its beginning. */
  at: number
  opened: number
  decided: number
  expired: number
}

const HOUR = 3_600_000

/** The hours of one day, or the days of more, in the reader's time zone. Slots without anything are there too. */
export function slotsOf({ byHour, days }: Pick<Figures, 'byHour' | 'days'>, now: number): Slot[] {
  const starts = days === 1 ? hours(now) : dayStarts(now, days)
  const slots = starts.map((at) => ({ at, opened: 0, decided: 0, expired: 0 }))
  for (const { at, opened, decided, expired } of byHour) {
    const time = Date.parse(at)
    const slot = slots.findLast((each) => each.at <= time)
    if (slot === undefined) continue
    slot.opened += opened
    slot.decided += decided
    slot.expired += expired
  }
  return slots
}

function hours(now: number): number[] {
  const last = Math.floor(now / HOUR) * HOUR
  return Array.from({ length: 24 }, (_, at) => last - (23 - at) * HOUR)
}

/** Days begin at midnight of the reader, also where clocks change. */
function dayStarts(now: number, days: number): number[] {
  const today = new Date(now)
  return Array.from({ length: days }, (_, at) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1 - at)).getTime(),
  )
}

/** Round numbers for an axis from nothing to the most, three at the most. */
export function ticksFor(most: number): number[] {
  const rough = Math.max(1, most) / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? 1)
  return Array.from({ length: 3 }, (_, at) => (at + 1) * step).filter((tick) => tick <= most || tick === step)
}
