// @ts-check

import { judge, ms, times } from '../lib/report/table.js'
import { measure } from '../lib/subject/measure.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const TARGETS = new Map([
  [1, 3],
  [100, 100],
])

/**
 * A paused run as text and back, approved and run to its end, with its earlier tool turns inside the run. Reaching the pause is not timed.
 *
 * @param {{ quick: boolean, slow: boolean }} options
 * @returns {Promise<Line[]>}
 */
export async function text({ quick, slow }) {
  const lines = []
  // At 1000 turns one cycle of the peer takes most of a minute.
  for (const turns of slow ? [1, 10, 100, 1000] : [1, 10, 100]) lines.push(...(await atHistory(turns, quick)))
  return lines
}

/** @param {number} turns @param {boolean} quick @returns {Promise<Line[]>} */
async function atHistory(turns, quick) {
  const once = turns >= 1000
  const params = { dir: '', turns }
  const whole = ['holdpoint', 'openai'].map((name) => ({ name, module: `${name}-text`, params }))
  const trips = ['holdpoint', 'openai'].map((name) => ({ name: `${name} trip`, module: `${name}-trip`, params }))
  const measured = await measure(`text cycle, ${turns} tool turns`, once ? whole : [...whole, ...trips], {
    rounds: once ? 1 : quick ? 5 : 15,
    warmUpMs: once ? 0 : quick ? 1500 : 4000,
    turnMs: 100,
    patienceMs: (quick ? 6 : 30) * 1000,
  })
  const ratio = measured.ratio('openai', 'holdpoint')
  const wanted = TARGETS.get(turns)
  /** @type {Line[]} */
  const lines = [
    {
      what: `text cycle, ${turns} tool turns in the run: OpenAI SDK ÷ holdpoint`,
      measured: times(ratio),
      ...(wanted === undefined ? {} : judge(ratio, '≥', wanted)),
    },
  ]
  if (!once) {
    const trip = measured.ratio('openai trip', 'holdpoint trip')
    lines.push({ what: '  of that, only to text and back', measured: times(trip) })
  }
  for (const { name } of whole) {
    const time = measured.time(name)
    lines.push({
      what: `  ${name}`,
      measured: ms(time),
      point: { chart: 'text', series: name, turns, ms: time.median },
    })
  }
  return lines
}
