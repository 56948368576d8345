const FIRST_MS = 250
const LONGEST_MS = 60_000

/** How long a wake-up waits after its handler has rejected this many times. */
export function backOffMs(failures: number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 20), LONGEST_MS)
}
