// @ts-check
import { inFolder } from '../lib/files.js'
import { measure } from '../lib/measure.js'
import { judge, ms, times } from '../lib/table.js'

/** @typedef {import('../lib/table.js').Line} Line */

/** Loading a paused thread in a fresh view, next to reading and parsing its entries and nothing more. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function load({ quick }) {
  /** @type {Line[]} */
  const lines = []
  for (const turns of [1, 10, 100, 1000]) {
    const measured = await inFolder((dir) =>
      measure(
        `fresh load, ${turns} tool turns`,
        [
          { name: 'load', module: 'holdpoint-load', params: { dir, turns } },
          { name: 'read and parse', module: 'bare-read', params: { dir, turns } },
        ],
        { rounds: quick ? 10 : 25, warmUpMs: quick ? 700 : 2000, turnMs: 100, patienceMs: (quick ? 4 : 20) * 1000 },
      ),
    )
    const ratio = measured.ratio('load', 'read and parse')
    const target = turns === 1000 ? judge(ratio, '≤', 1.5) : {}
    lines.push({ what: `fresh load ÷ bare read and parse, ${turns} tool turns`, measured: times(ratio), ...target })
    for (const name of ['load', 'read and parse']) lines.push({ what: `  ${name}`, measured: ms(measured.time(name)) })
  }
  return lines
}
