// @ts-check
import { progress } from '../report/progress.js'
import { DOES } from './model.js'
import { play } from './play.js'

/**
 * @typedef {import('./installation.js').Installation} Installation
 * @typedef {import('./installation.js').Resource} Resource
 * @typedef {import('./installation.js').Usage} Usage
 * @typedef {import('./model.js').Parameters} Parameters
 */

/** About as often as in the loads that are predicted: what is done more often takes less processor time each. */
const RATE = 6
const FIRST = 20
/** What opening and closing screens leaves to do, such as collecting garbage, is no part of what is measured next. */
const SETTLE_SECONDS = 1.5
const WARM_UP = { rate: 10, seconds: 5 }
/** How many requests are opened at once where changes come together: as many as a screen is told of at once. */
const TOGETHER = 100

/** Measures the costs of the model, each kind of work alone. @param {Installation} installation @param {{ people: number, seconds: number }} about @returns {Promise<Parameters['costs']>} */
export async function calibrate(installation, { people, seconds }) {
  const measure = (/** @type {string} */ what, /** @type {import('./play.js').Rates} */ rates, time = seconds) => {
    progress(`capacity: measuring ${what}`)
    return play(installation, rates, time)
  }
  await installation.reviewers.watch(0)
  await play(installation, {}, SETTLE_SECONDS)
  const quiet = await measure('a quiet time', {})
  /** Of one, without what a quiet time uses. @param {import('./play.js').Played} played @param {number} count */
  const each = ({ used, counts }, count) =>
    combine(used, quiet.used, (busy, idle) => (busy - (idle * counts.second) / quiet.counts.second) / count)
  const paged = await measure('pages', { page: RATE })
  const decided = await measure('decisions', { decision: RATE })
  /** @type {Usage[]} */
  const alone = []
  /** @type {Usage[]} */
  const together = []
  for (const screens of [0, 1, people]) {
    await installation.reviewers.watch(screens)
    await play(installation, { open: RATE }, SETTLE_SECONDS)
    const opened = await measure(`requests with ${screens} screens`, { open: RATE })
    alone.push(each(opened, opened.counts.open))
    const burst = await measure(`requests at once, ${screens} screens`, { open: 1, together: TOGETHER }, seconds / 3)
    together.push(each(burst, burst.counts.open))
  }
  const [open, change, offer] = perScreen(alone, people)
  const [openTogether, changeTogether, offerTogether] = perScreen(together, people)
  const second = combine(quiet.used, quiet.used, (used) => used / quiet.counts.second)
  const page = each(paged, paged.counts.page)
  const decision = each(decided, decided.counts.decision)
  return byResource({ second, page, open, decision, change, offer, openTogether, changeTogether, offerTogether })
}

/** What each screen adds to the memory of a gateway, and what it uses with all of them. @param {Installation} installation @param {number} people */
export async function openScreens({ reviewers, gatewayMemory }, people) {
  // The first ones load code.
  await reviewers.watch(FIRST)
  const before = await gatewayMemory()
  await reviewers.watch(people)
  const after = await gatewayMemory()
  return { personBytes: (after.heap - before.heap) / (people - FIRST), gatewayBytes: before.rss }
}

/** Code is compiled for what it does often, so every part does everything often. @param {Installation} installation @param {number} people */
export async function warmUp(installation, people) {
  progress(`capacity: warming up with ${people} screens`)
  const { rate, seconds } = WARM_UP
  await play(installation, { page: rate, open: rate, decision: rate }, seconds)
}

/** What a request uses without screens, for the gateway to hear of it, and for each screen: from none, one and many. @param {Usage[]} measured @param {number} many @returns {[Usage, Usage, Usage]} */
function perScreen([none, one, all], many) {
  if (!none || !one || !all) throw new Error('a request is measured with none, one and many screens')
  const offer = combine(all, one, (more, less) => (more - less) / (many - 1))
  const heard = combine(one, none, (more, less) => more - less)
  return [none, combine(heard, offer, (both, only) => both - only), offer]
}

/** @param {Usage} one @param {Usage} other @param {(one: number, other: number) => number} how @returns {Usage} */
function combine(one, other, how) {
  const names = /** @type {Resource[]} */ (Object.keys(one))
  return /** @type {Usage} */ (Object.fromEntries(names.map((name) => [name, how(one[name], other[name])])))
}

/** What a part has nothing to do with costs it nothing, and a cost below zero is noise. @param {Record<import('./model.js').Work, Usage>} works @returns {Parameters['costs']} */
function byResource(works) {
  const of = (/** @type {Resource} */ resource) =>
    Object.fromEntries(
      Object.entries(works).map(([work, usage]) => [
        work,
        DOES[resource].some((mine) => mine === work) ? Math.max(0, usage[resource]) : 0,
      ]),
    )
  const resources = /** @type {Resource[]} */ (Object.keys(DOES))
  return /** @type {Parameters['costs']} */ (Object.fromEntries(resources.map((resource) => [resource, of(resource)])))
}
