// @ts-check
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { progress } from '../lib/report/progress.js'
import { spread } from '../lib/report/spread.js'

/** @typedef {import('../lib/report/table.js').Line} Line */
/** @typedef {Record<'p50' | 'p99' | 'most' | 'commitP50' | 'commitP99' | 'commitMost' | 'commitSum' | 'cycles' | 'share', number>} Delays */

const PROCESS = fileURLToPath(new URL('../lib/processes/loop-process.js', import.meta.url))
const WHERE = {
  memory: 'in memory',
  process: 'SQLite, not synced',
  power: 'SQLite, synced (the default)',
  thread: 'SQLite, synced, with a thread for writes',
}

/** How long commits hold up the event loop, and how long its turns take, while 200 threads go through approve cycles. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function loop({ quick }) {
  const tries = quick ? 2 : 5
  /** @type {Line[]} */
  const lines = []
  for (const [where, words] of Object.entries(WHERE)) {
    const runs = []
    for (let n = 1; n <= tries; n++) {
      progress(`event loop, ${words}: ${n} of ${tries}`)
      runs.push(await one(where, quick ? 3 : 10))
    }
    progress('')
    const of = (/** @type {keyof Delays} */ key) => spread(runs.map((run) => run[key])).median
    const judged = where === 'thread' ? { target: '≤ 2 ms', ok: of('commitP99') <= 2 } : {}
    lines.push(
      {
        what: `200 threads at once, ${words}: commits in a turn of the event loop, p99`,
        measured: `${of('commitP99').toFixed(2)} ms (p50 ${of('commitP50').toFixed(2)}, longest ${of('commitMost').toFixed(1)})`,
        ...judged,
      },
      { what: '  commits of a cycle', measured: `${of('commitSum').toFixed(2)} ms` },
      {
        what: '  the whole turn, p99',
        measured: `${of('p99').toFixed(2)} ms (p50 ${of('p50').toFixed(2)}, longest ${of('most').toFixed(1)})`,
      },
      {
        what: '  cycles',
        measured: `${Math.round(of('cycles'))}/s, ${of('share').toFixed(2)} of a processor`,
      },
    )
  }
  return lines
}

/** @param {string} where @param {number} rounds @returns {Promise<Delays>} */
function one(where, rounds) {
  const child = fork(PROCESS, [where, String(rounds)], { stdio: ['ignore', 2, 2, 'ipc'] })
  return new Promise((resolve, reject) => {
    child.once('message', (found) => resolve(/** @type {Delays} */ (found)))
    child.once('exit', (code) => reject(new Error(`event loop: its process ended with ${code} (see above)`)))
  })
}
