// @ts-check
import { inFolder } from '../lib/files.js'
import { measure } from '../lib/measure.js'
import { judge, ms, times } from '../lib/table.js'

/** @typedef {import('../lib/table.js').Line} Line */

/** The whole durable approve cycle, next to LangChain's and next to its own bare commits. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function durable({ quick }) {
  const lines = []
  for (const turns of [1, 10, 100, 1000]) lines.push(...(await atHistory(turns, quick)))
  return lines
}

/** @param {number} turns @param {boolean} quick @returns {Promise<Line[]>} */
async function atHistory(turns, quick) {
  const long = turns >= 1000
  const measured = await inFolder((dir) => {
    const params = { dir, turns }
    const subjects = [
      { name: 'holdpoint', module: 'holdpoint-durable', params },
      { name: 'bare commits', module: 'bare-commits', params },
      { name: 'langchain', module: 'langchain-durable', params },
    ]
    if (long) subjects.push({ name: 'held', module: 'holdpoint-held', params })
    return measure(`durable cycle, ${turns} prior tool turns`, subjects, {
      rounds: quick ? 5 : long ? 8 : 15,
      warmUpMs: quick ? 2000 : 5000,
      turnMs: quick ? 100 : 250,
      patienceMs: (quick ? 6 : 45) * 1000,
    })
  })
  const whole = measured.ratio('langchain', 'holdpoint')
  /** @type {Line[]} */
  const lines = [
    {
      what: `durable cycle, ${turns} prior tool turns: LangChain ÷ holdpoint`,
      measured: times(whole),
      ...(turns === 1 ? judge(whole, '≥', 20) : {}),
    },
  ]
  if (long) {
    const held = measured.ratio('langchain', 'held')
    const what = '  the same, the process holds the thread'
    lines.push({ what, measured: times(held), ...judge(held, '≥', 200) })
  }
  if (turns === 1) {
    const bare = measured.ratio('holdpoint', 'bare commits')
    const what = '  holdpoint ÷ its bare SQLite commits'
    lines.push({ what, measured: times(bare), ...judge(bare, '≤', 1.6) })
  }
  for (const name of ['holdpoint', ...(long ? ['held'] : []), 'bare commits', 'langchain']) {
    lines.push({ what: `  ${name}`, measured: ms(measured.time(name)) })
  }
  return lines
}
