// @ts-check

import { judge, ms, times } from '../lib/report/table.js'
import { inFolder } from '../lib/sqlite/files.js'
import { measure } from '../lib/subject/measure.js'

/** @typedef {import('../lib/report/table.js').Line} Line */
/** @typedef {import('../lib/sqlite/raw.js').Durability} Durability */

/** What survives, in words. */
const SURVIVES = { power: 'synced', process: 'not synced' }

/** The whole durable approve cycle, next to LangChain's and next to its own bare commits. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function durable({ quick }) {
  const lines = []
  for (const durability of /** @type {const} */ (['power', 'process']))
    for (const turns of [1, 10, 100, 1000]) lines.push(...(await atHistory(turns, durability, quick)))
  return lines
}

/** @param {number} turns @param {Durability} durability @param {boolean} quick @returns {Promise<Line[]>} */
async function atHistory(turns, durability, quick) {
  const long = turns >= 1000
  const title = `durable cycle, ${SURVIVES[durability]}, ${turns} prior tool turns`
  const measured = await inFolder((dir) => {
    const params = { dir, turns, durability }
    const subjects = [
      { name: 'holdpoint', module: 'holdpoint-durable', params },
      { name: 'bare commits', module: 'bare-commits', params },
      { name: 'langchain', module: 'langchain-durable', params },
    ]
    if (long) subjects.push({ name: 'held', module: 'holdpoint-held', params })
    return measure(title, subjects, {
      rounds: quick ? 5 : long ? 8 : 15,
      warmUpMs: quick ? 2000 : 5000,
      turnMs: quick ? 100 : 250,
      patienceMs: (quick ? 6 : 45) * 1000,
      // A synced commit waits for the disk.
      ...(durability === 'power' ? { minShare: 0.02 } : {}),
    })
  })
  const whole = measured.ratio('langchain', 'holdpoint')
  // What is cold in the process, and not held up by the disk.
  const target = durability === 'process' && long ? 80 : undefined
  /** @type {Line[]} */
  const lines = [
    { what: `${title}: LangChain ÷ holdpoint`, measured: times(whole), ...(target ? judge(whole, '≥', target) : {}) },
  ]
  if (long) {
    const held = measured.ratio('langchain', 'held')
    const what = '  the same, the process holds the thread'
    lines.push({ what, measured: times(held), ...(durability === 'process' ? judge(held, '≥', 200) : {}) })
  }
  const bare = measured.ratio('holdpoint', 'bare commits')
  if (turns === 1) lines.push({ what: '  holdpoint ÷ its bare SQLite commits', measured: times(bare) })
  for (const name of ['holdpoint', ...(long ? ['held'] : []), 'bare commits', 'langchain']) {
    const time = measured.time(name)
    lines.push({
      what: `  ${name}`,
      measured: ms(time),
      point: { chart: durability, series: name, turns, ms: time.median },
    })
  }
  return lines
}
