// @ts-check

import { judge, ms, times } from '../lib/report/table.js'
import { inFolder } from '../lib/sqlite/files.js'
import { measure } from '../lib/subject/measure.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

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
          { name: 'load, envelope', module: 'holdpoint-load', params: { dir, turns, verify: 'envelope' } },
          { name: 'read and parse', module: 'bare-read', params: { dir, turns } },
        ],
        { rounds: quick ? 10 : 25, warmUpMs: quick ? 700 : 2000, turnMs: 100, patienceMs: (quick ? 4 : 20) * 1000 },
      ),
    )
    // Reading and parsing verifies nothing, so the target is for a load that does not compute hashes either.
    const ratio = measured.ratio('load, envelope', 'read and parse')
    const target = turns === 1000 ? judge(ratio, '≤', 1.5) : {}
    lines.push({
      what: `fresh load, envelope ÷ bare read and parse, ${turns} tool turns`,
      measured: times(ratio),
      ...target,
    })
    const verified = measured.ratio('load', 'load, envelope')
    lines.push({ what: `fresh load with its chain verified ÷ without, ${turns} tool turns`, measured: times(verified) })
    for (const name of ['load', 'load, envelope', 'read and parse'])
      lines.push({ what: `  ${name}`, measured: ms(measured.time(name)) })
  }
  return lines
}
