// @ts-check
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { progress } from '../lib/report/progress.js'
import { spread } from '../lib/report/spread.js'

/** @typedef {import('../lib/report/table.js').Line} Line */
/** @typedef {{ p50: number, p99: number, most: number, cycles: number, share: number }} Delays */

const PROCESS = fileURLToPath(new URL('../lib/processes/loop-process.js', import.meta.url))
const WHERE = {
  memory: 'in memory',
  process: 'SQLite, not synced',
  power: 'SQLite, synced (the default)',
  thread: 'SQLite, synced, with a thread for writes',
}

/** How long turns of the event loop take while 200 threads go through approve cycles. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
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
    const of = (/** @type {keyof Delays} */ key) => spread(runs.map((run) => run[key]))
    const p99 = of('p99').median
    const judged = where === 'thread' ? { target: '≤ 2 ms', ok: p99 <= 2 } : {}
    const title = `200 threads at once, ${words}: turns of the event loop, p99`
    lines.push(
      {
        what: title,
        measured: `${p99.toFixed(2)} ms (p50 ${of('p50').median.toFixed(2)}, longest ${of('most').median.toFixed(1)})`,
        ...judged,
      },
      {
        what: '  cycles',
        measured: `${Math.round(of('cycles').median)}/s, ${of('share').median.toFixed(2)} of a processor`,
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
