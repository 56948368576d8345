/** Numbers that look random and are the same for the same seed (mulberry32). */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number
  /** An integer from 0 up to and including `max`. */
  upTo(max: number): number
  pick<T>(choices: readonly T[]): T
}

/** Starts from a seed. */
export function seeded(seed: number): Random {
  // Seeds that follow one another must not give sequences that resemble one another.
  let state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const upTo = (max: number) => Math.floor(next() * (max + 1))
  return { next, upTo, pick: (choices) => choices[upTo(choices.length - 1)]! }
}
