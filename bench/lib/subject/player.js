// @ts-check

/**
 * The mind behind every peer's fake model: plays steps in order and does nothing else, so that what is measured is the system around it.
 *
 * @typedef {import('./scenario.js').Step} Step
 */
export function createPlayer() {
  /** @type {readonly Step[]} */
  let steps = []
  let at = 0
  return {
    /** Replaces what is to be played. @param {readonly Step[]} next */
    load(next) {
      steps = next
      at = 0
    },
    /** @returns {Step} */
    next() {
      const step = steps[at++]
      if (!step) throw new Error(`the fake model was asked a ${at}. time, but it has ${steps.length} step(s)`)
      return step
    },
    /** Throws unless all was played: a cycle that asks the model less often would measure less. */
    assertDone() {
      if (at !== steps.length) throw new Error(`the fake model played ${at} of ${steps.length} step(s)`)
    },
  }
}

/** @typedef {ReturnType<typeof createPlayer>} Player */
