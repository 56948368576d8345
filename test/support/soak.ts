/** `npm run soak` sets it. */
const on = process.env.HOLDPOINT_SOAK === '1'

/**
 * The two forms of a test that is random or exhaustive: a short one in `npm test`, the same every time, and the whole in `npm run soak`, with other
 * seeds every time. A test file that imports this is run by both.
 */
export const soak = {
  /** How often to do something. Also for time limits. */
  times: (short: number, long: number): number => (on ? long : short),

  /** Seeds: the first few numbers, or many that follow the time of day. */
  seeds(short: number, long: number): number[] {
    const first = on ? Date.now() % 1_000_000 : 1
    return Array.from({ length: on ? long : short }, (_, index) => first + index)
  },

  /** Parameters of a fast-check property. */
  runs: (short: number, long: number): { numRuns: number; seed?: number } =>
    on ? { numRuns: long } : { numRuns: short, seed: 1 },

  /**
   * Every item, or every `of`-th one beginning with item `part`: tests that go through the same list and take different parts cover it together.
   */
  sample: <T>(items: readonly T[], { part, of }: { part: number; of: number }): T[] =>
    items.filter((_, index) => on || index % of === part % of),
}
