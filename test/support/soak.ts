/** `npm run soak` sets it to `long`, mutation runs to `least`. */
const form = process.env.HOLDPOINT_SOAK

/** Where the seeds begin: `npm run soak -- --seed N` sets it, so that a failure can be repeated. */
const first = Number(process.env.HOLDPOINT_SEED ?? 1)

function choose(short: number, long: number): number {
  if (form === 'long') return long
  return form === 'least' ? Math.ceil(short / 10) : short
}

/**
 * The two forms of a test that is random or exhaustive: a short one in `npm test`, the whole in `npm run soak`. Both are the same every time unless
 * `--seed` is given. A test file that imports this is run by both.
 */
export const soak = {
  /** How often to do something. Also for time limits. */
  times: choose,

  /** Consecutive seeds. */
  seeds: (short: number, long: number): number[] => Array.from({ length: choose(short, long) }, (_, i) => first + i),

  /** Parameters of a fast-check property. */
  runs: (short: number, long: number): { numRuns: number; seed: number } => ({
    numRuns: choose(short, long),
    seed: first,
  }),

  /**
   * Every item, or every `of`-th one beginning with item `part`: tests that go through the same list and take different parts cover it together.
   */
  sample: <T>(items: readonly T[], { part, of }: { part: number; of: number }): T[] =>
    items.filter((_, index) => form === 'long' || index % of === part % of),
}
