import { type Finding, ok, warning } from './finding.ts'

const MOST_MS = 1000

/** Two readings of this machine's clock, and one of a server's that was taken between them. */
export interface ClockReading {
  readonly before: number
  readonly server: number
  readonly after: number
}

/** Compares clocks. The server's may be off by as much as its answer took: that is no skew. */
export function checkClock(what: string, { before, server, after }: ClockReading): Finding {
  const skew = server < before ? server - before : server > after ? server - after : 0
  if (Math.abs(skew) <= MOST_MS) return ok(what, `This machine's clock agrees with the server's`)
  const shown = `${Math.abs(skew / 1000).toFixed(1)} s ${skew > 0 ? 'behind' : 'ahead of'}`
  return warning(
    what,
    `This machine's clock is ${shown} the server's.`,
    'Deadlines and leases count by the store, so nothing is lost; tokens and logs count by this clock. Run NTP on both.',
  )
}
