// @ts-check
import { progress } from '../report/progress.js'
import { spread } from '../report/spread.js'
import { startSubject } from './subject.js'

/**
 * @typedef {import('../report/spread.js').Spread} Spread
 * @typedef {import('./subject.js').SubjectSpec} SubjectSpec
 * @typedef {import('./subject.js').Subject} Subject
 * @typedef {import('./subject.js').Turn} Turn
 * @typedef {{ rounds: number, warmUpMs: number, turnMs: number, patienceMs: number, minShare?: number }} Plan `warmUpMs`: for each subject; `patienceMs`: how long disturbed rounds are repeated; `minShare`: how much of the time a turn must have had a processor
 */

const MAX_SAMPLES = 400
/** How much of the time a turn must have had a processor, where it waits for nobody else. */
const MIN_SHARE = 0.8
const MIN_ROUNDS = 3

/**
 * Measures subjects in rounds. Each lives in a process of its own, so that nobody pays for another's garbage or hooks, and only one works
 * at a time. In each round every subject has its turn, in an order that rotates, so that whatever the machine does besides falls on all
 * of them; ratios are taken within a round. A turn is as many samples as fit into `turnMs`. Rounds before the first steady one are thrown
 * away, and so are those in which other programs had the processor.
 *
 * @param {string} title
 * @param {readonly SubjectSpec[]} specs
 * @param {Plan} plan
 */
export async function measure(title, specs, plan) {
  progress(`${title}: preparing`)
  /** @type {Subject[]} */
  const subjects = []
  try {
    for (const spec of specs) subjects.push(await startSubject(spec))
    const samples = await warmUp(title, subjects, plan)
    return toMeasured(title, await playRounds(title, { subjects, samples, plan }))
  } finally {
    progress('')
    await Promise.all(subjects.map((subject) => subject.stop()))
  }
}

/** @typedef {Awaited<ReturnType<typeof measure>>} Measured */

/**
 * Until every subject has worked for `warmUpMs` and none has become faster by a twentieth in two rounds running; at most three times that
 * long. Tells how many samples make a turn.
 *
 * @param {string} title
 * @param {readonly Subject[]} subjects
 * @param {Plan} plan
 */
async function warmUp(title, subjects, { warmUpMs, turnMs }) {
  const began = performance.now()
  const least = warmUpMs * subjects.length
  const best = new Map(subjects.map(({ name }) => [name, Number.POSITIVE_INFINITY]))
  const samples = new Map(subjects.map(({ name }) => [name, 1]))
  for (let round = 0, steady = 0; ; round++) {
    const spent = performance.now() - began
    if ((steady >= 2 && spent >= least) || spent >= least * 3) return samples
    progress(`${title}: warm-up ${round + 1}`)
    let improved = false
    for (const { name, play } of subjects) {
      const { wall } = await play(samples.get(name) ?? 1)
      const before = best.get(name) ?? wall
      if (wall < before * 0.95) improved = true
      const now = Math.min(before, wall)
      best.set(name, now)
      samples.set(name, Math.max(1, Math.min(MAX_SAMPLES, Math.round(turnMs / now))))
    }
    steady = improved ? 0 : steady + 1
  }
}

/** @param {string} title @param {{ subjects: readonly Subject[], samples: Map<string, number>, plan: Plan }} work */
async function playRounds(title, { subjects, samples, plan: { rounds, patienceMs, minShare = MIN_SHARE } }) {
  /** @type {Map<string, Turn>[]} */
  const played = []
  let disturbed = 0
  const end = performance.now() + patienceMs
  for (let tries = 0; played.length < rounds; tries++) {
    progress(`${title}: round ${played.length + 1} of ${rounds}`)
    /** @type {Map<string, Turn>} */
    const round = new Map()
    for (let i = 0; i < subjects.length; i++) {
      const { name, play } = /** @type {Subject} */ (subjects[(i + tries) % subjects.length])
      round.set(name, await play(samples.get(name) ?? 1))
    }
    // Others had the processor: that stretches long samples and spares short ones, so the round tells little. Patience has an end.
    const isDisturbed = [...round.values()].some(({ share }) => share < minShare)
    if (isDisturbed && performance.now() < end) continue
    if (isDisturbed) disturbed++
    played.push(round)
    if (performance.now() > end + patienceMs && played.length >= MIN_ROUNDS) break
  }
  if (disturbed > 0)
    console.error(`${title}: the machine was busy with other work in ${disturbed} of ${played.length} rounds.`)
  return { rounds: played, disturbed }
}

/** @param {string} title @param {{ rounds: readonly Map<string, Turn>[], disturbed: number }} played */
function toMeasured(title, { rounds, disturbed }) {
  const of = (/** @type {string} */ name, /** @type {keyof Turn} */ kind) =>
    rounds.map((round) => {
      const turn = round.get(name)
      if (!turn) throw new Error(`${title}: nothing called ${name} was measured`)
      return turn[kind]
    })
  const ratios = (/** @type {string} */ slow, /** @type {string} */ fast, /** @type {'wall' | 'cpu'} */ kind) => {
    const under = of(fast, kind)
    return of(slow, kind).map((value, round) => value / /** @type {number} */ (under[round]))
  }
  return {
    /** Milliseconds of one sample. @param {string} name */
    time: (name) => spread(of(name, 'wall')),
    /** Its 95th percentile, in milliseconds. @param {string} name */
    tail: (name) => spread(of(name, 'tail')),
    /** How many times longer the 95th percentile is than the median. @param {string} name */
    tailRatio: (name) => ({
      ...spread(of(name, 'tail').map((tail, round) => tail / /** @type {number} */ (of(name, 'wall')[round]))),
      unsure: disturbed > rounds.length / 2,
    }),
    /** How many times longer `slow` takes than `fast`; `cpu` by processor time. @param {string} slow @param {string} fast */
    ratio: (slow, fast) => ({
      ...spread(ratios(slow, fast, 'wall')),
      cpu: spread(ratios(slow, fast, 'cpu')).median,
      unsure: disturbed > rounds.length / 2,
    }),
  }
}
