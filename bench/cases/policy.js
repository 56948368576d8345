// @ts-check
import { progress } from '../lib/report/progress.js'
import { spread } from '../lib/report/spread.js'
import { judge, ms, times } from '../lib/report/table.js'
import { create } from '../subjects/policy-call.js'

const RULES = 1000
const ROUND = 200

/**
 * What a policy adds to a plain tool call that nobody has to approve. All subjects work in this one process and take turns call by call: they are the same
 * code but for the policy, and what is looked for is smaller than the difference between two processes.
 *
 * @param {{ quick: boolean }} options
 * @returns {Promise<import('../lib/report/table.js').Line[]>}
 */
export async function policy({ quick }) {
  const subjects = await Promise.all([0, 1, RULES].map((rules) => create({ dir: '', turns: 0, rules })))
  const rounds = quick ? 20 : 60
  /** @type {number[][]} the median of each round, for each subject */
  const medians = subjects.map(() => [])
  // The first rounds warm up.
  for (let round = -10; round < rounds; round++) {
    progress(`a plain tool call under a policy: round ${round + 1} of ${rounds}`)
    const taken = await playRound(subjects)
    if (round >= 0) for (const [i, values] of taken.entries()) medians[i]?.push(spread(values).median)
  }
  progress('')
  const [none = [], one = [], many = []] = medians
  const ratio = (/** @type {number[]} */ slow, /** @type {number[]} */ fast) =>
    spread(slow.map((value, round) => value / (fast[round] ?? Number.NaN)))
  const whole = { ...ratio(many, none), unsure: false }
  return [
    { what: `tool call under ${RULES} rules ÷ without a policy`, measured: times(whole), ...judge(whole, '≤', 1.05) },
    { what: `  under ${RULES} rules ÷ under one`, measured: times(ratio(many, one)) },
    { what: '  without a policy', measured: ms(spread(none)) },
    { what: `  under ${RULES} rules`, measured: ms(spread(many)) },
  ]
}

/** @param {readonly import('../lib/subject/subject.js').SubjectBody[]} subjects @returns {Promise<number[][]>} */
async function playRound(subjects) {
  const made = await Promise.all(subjects.map(({ prepare }) => prepare?.(ROUND) ?? []))
  const taken = subjects.map(() => /** @type {number[]} */ ([]))
  for (let sample = 0; sample < ROUND; sample++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      const i = (turn + sample) % subjects.length
      const start = performance.now()
      await subjects[i]?.run(made[i]?.[sample])
      taken[i]?.push(performance.now() - start)
    }
  }
  return taken
}
