// @ts-check

import { judge, ms, times } from '../lib/report/table.js'
import { inFolder } from '../lib/sqlite/files.js'
import { measure } from '../lib/subject/measure.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const TURNS = [1, 5000]
const WHAT = /** @type {const} */ ({
  load: 'a paused thread is loaded',
  approve: 'loaded, approved, and the approval withdrawn at a desk',
  keyed: 'an answer with a new idempotency key is looked up, and refused',
  list: 'what waits for people is listed',
  request: 'a reviewer opens a request over HTTP: the call, what led to it, the last steps',
  thread: 'a reviewer opens a thread over HTTP: its last steps',
})
/** What is asked of a gateway. */
const SCREENS = ['request', 'thread']

/** What people do with a long thread next to the same with a short one. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function long({ quick }) {
  /** @type {Line[]} */
  const lines = []
  for (const [what, words] of Object.entries(WHAT)) {
    const module = SCREENS.includes(what) ? 'holdpoint-screen' : 'holdpoint-long'
    const measured = await inFolder((dir) =>
      measure(
        `${words}, 1 and 5000 tool turns`,
        TURNS.map((turns) => ({ name: `${turns}`, module, params: { dir, turns, what } })),
        { rounds: quick ? 8 : 20, warmUpMs: quick ? 700 : 2000, turnMs: 100, patienceMs: (quick ? 4 : 20) * 1000 },
      ),
    )
    const ratio = measured.ratio('5000', '1')
    lines.push({ what: `${words}: 5000 tool turns ÷ 1`, measured: times(ratio), ...judge(ratio, '≤', 2) })
    for (const turns of TURNS) lines.push({ what: `  ${turns} turns`, measured: ms(measured.time(`${turns}`)) })
  }
  return lines
}
