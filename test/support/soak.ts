/** `npm run soak` sets it to `long`, mutation runs to `least`. */
const form = process.env.HOLDPOINT_SOAK

function choose(short: number, long: number): number {
  if (form === 'long') return long
  return form === 'least' ? Math.ceil(short / 10) : short
}

/**
 * The two forms of a test that is random or exhaustive: a short one in `npm test`, the same every time, and the whole in `npm run soak`, with other
 * seeds every time. A test file that imports this is run by both.
 */
export const soak = {
  /** How often to do something. Also for time limits. */
  times: choose,

  /** Seeds: the first few numbers, or many that follow the time of day. */
  seeds(short: number, long: number): number[] {
    const first = form === 'long' ? Date.now() % 1_000_000 : 1
    return Array.from({ length: choose(short, long) }, (_, index) => first + index)
  },

  /** Parameters of a fast-check property. */
  runs: (short: number, long: number): { numRuns: number; seed?: number } => ({
    numRuns: choose(short, long),
    ...(form === 'long' ? {} : { seed: 1 }),
  }),

  /**
   * Every item, or every `of`-th one beginning with item `part`: tests that go through the same list and take different parts cover it together.
   */
  sample: <T>(items: readonly T[], { part, of }: { part: number; of: number }): T[] =>
    items.filter((_, index) => form === 'long' || index % of === part % of),
}
