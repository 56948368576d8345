const FIRST_MS = 1000
const FACTOR = 3
/** The longest time between a failed drive and the next one. */
export const LONGEST_MS = 5 * 60_000

/** How long to wait after this many failed drives. Up to half of it is random, so that threads which failed together do not come back together. */
export function backOff(tries: number, random: () => number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * FACTOR ** Math.max(0, tries - 1))
  return Math.round(full * (0.5 + random() / 2))
}
