// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * How often each thing is done in a second. `together`: how many requests are opened at once each time.
 *
 * @typedef {{ page?: number, open?: number, decision?: number, together?: number }} Rates
 * @typedef {Awaited<ReturnType<typeof play>>} Played
 * @typedef {import('./installation.js').Usage} Usage
 */

/** Plays a load at even distances, whether or not the earlier ones are done, and returns what it used. @param {import('./installation.js').Installation} installation @param {Rates} rates @param {number} seconds */
export async function play(installation, { page = 0, open = 0, decision = 0, together = 1 }, seconds) {
  const { reviewers, openOne, decideOne } = installation
  /** @type {{ stored: number, over: number }[]} */
  const times = []
  const before = await installation.used()
  const began = performance.now()
  const counts = await Promise.all([
    evenly(page, seconds, () => reviewers.page()),
    evenly(open, seconds, () => Promise.all(Array.from({ length: together }, openOne))),
    evenly(decision, seconds, async () => {
      times.push(await decideOne())
    }),
  ])
  await sleep(Math.max(0, seconds * 1000 - (performance.now() - began)))
  const took = (performance.now() - began) / 1000
  const after = await installation.used()
  const names = /** @type {(keyof Usage)[]} */ (Object.keys(after))
  const used = /** @type {Usage} */ (Object.fromEntries(names.map((name) => [name, after[name] - before[name]])))
  const [pages, opens, decisions] = counts
  return { counts: { second: took, page: pages, open: opens * together, decision: decisions }, used, times }
}

/** @param {number} rate @param {number} seconds @param {() => Promise<unknown>} act */
async function evenly(rate, seconds, act) {
  const count = Math.round(rate * seconds)
  const began = performance.now()
  const acts = []
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, began + (n * 1000) / rate - performance.now()))
    acts.push(act())
  }
  await Promise.all(acts)
  return count
}
